// What is installed without Helm is what Helm would install.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { at } from '#machines/kubernetes/json.ts';
import { maxManifests, unbuilt } from '#test/cluster/chart.ts';
import { binary } from '#test/cluster/up.ts';
import { root } from '#test/tidy/sources.ts';
import { installFiles, installPath } from './install.ts';
import { kindOf, nameOf, objectsIn, podsIn, unrestricted } from './manifests.ts';

const run = promisify(execFile);
const skip = unbuilt('helm');
const noKubectl = existsSync(binary('kubectl')) ? '' : ' [skipped: kubectl is not built]';
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('The installation without Helm', () => {
  it.skipIf(skip !== '')(`is what Helm renders: \`npm run surface\` writes it${skip}`, async () => {
    for (const [path, text] of Object.entries(await installFiles())) {
      expect([path, read(path)]).toEqual([path, text]);
    }
  });

  it('has a namespace that demands restricted pods, and such pods', () => {
    const manifests = objectsIn(read(installPath));
    const [namespace] = manifests;
    expect(at(namespace, 'metadata', 'labels')).toEqual({
      'pod-security.kubernetes.io/enforce': 'restricted',
    });
    const pods = Object.values(podsIn(manifests));
    expect(pods.map(unrestricted)).toEqual([[]]);
    expect(read(installPath)).not.toContain('Helm');
  });

  it.skipIf(noKubectl !== '')(`is the base of kustomize, with the CRDs${noKubectl}`, async () => {
    const options = { maxBuffer: maxManifests };
    const { stdout } = await run(binary('kubectl'), ['kustomize', join(root, 'charts')], options);
    const built = objectsIn(stdout);
    const crds = built.filter((each) => kindOf(each) === 'CustomResourceDefinition');
    expect(crds.map(nameOf)).toContain('podcliquesets.grove.io');
    const others = built.filter((each) => !crds.includes(each)).map(nameOf);
    expect(others.toSorted()).toEqual(objectsIn(read(installPath)).map(nameOf).toSorted());
  });
});
