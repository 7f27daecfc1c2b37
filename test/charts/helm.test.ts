// Which CRDs Helm takes from the chart, by the switches of the modules. Its permissions, on the
// real control plane, are in test/e2e/real/rbac.test.ts.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { at, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { maxManifests, rendered, unbuilt } from '#test/cluster/chart.ts';
import { binary } from '#test/cluster/up.ts';
import { chartFolder, grantsIn } from './grants.ts';

const run = promisify(execFile);

const ofGrove = [
  'clustertopologybindings.grove.io',
  'podcliques.grove.io',
  'podcliquescalinggroups.grove.io',
  'podcliquesets.grove.io',
  'podgangs.scheduler.grove.io',
];

const ofNvidia = ['computedomaincliques.resource.nvidia.com', 'computedomains.resource.nvidia.com'];

const ofSandboxes = [
  'sandboxclaims.extensions.agents.x-k8s.io',
  'sandboxes.agents.x-k8s.io',
  'sandboxtemplates.extensions.agents.x-k8s.io',
  'sandboxwarmpools.extensions.agents.x-k8s.io',
];

const all = [...ofGrove, ...ofNvidia, ...ofSandboxes].toSorted();

const skip = unbuilt('helm');

const objectsIn = (manifests: string): readonly unknown[] =>
  parseAllDocuments(manifests).map((document): unknown => document.toJS());

const crdsIn = (manifests: string): readonly string[] =>
  objectsIn(manifests)
    .filter((object) => at(object, 'kind') === 'CustomResourceDefinition')
    .map((object) => text(at(object, 'metadata', 'name')))
    .toSorted();

describe.skipIf(skip !== '')(`The chart as Helm takes it${skip}`, () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'coppice-chart-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const withCrds = (values: JsonObject, chart = chartFolder): Promise<string> =>
    rendered(folder, values, { chart, words: ['--include-crds'] });

  it('is sound, its subcharts too, without a build of its dependencies', async () => {
    const { stdout } = await run(binary('helm'), [
      ...['lint', '--strict', '--with-subcharts'],
      chartFolder,
    ]);
    expect(stdout).toContain('4 chart(s) linted, 0 chart(s) failed');
  });

  it('has the CRDs of a module that the values leave on', async () => {
    expect(crdsIn(await withCrds({}))).toEqual(ofGrove);
    expect(crdsIn(await withCrds({ config: { modules: { grove: true } } }))).toEqual(ofGrove);
    const every = { grove: true, nvidia: true, agentsandbox: true };
    expect(crdsIn(await withCrds({ config: { modules: every } }))).toEqual(all);
    const sandboxes = { config: { modules: { grove: false, agentsandbox: true } } };
    expect(crdsIn(await withCrds(sandboxes))).toEqual(ofSandboxes);
    const without = { config: { modules: { grove: false, nvidia: true } } };
    expect(crdsIn(await withCrds(without))).toEqual(ofNvidia);
  });

  it('has them where the values say nothing of the module, which is then on if it is Grove', async () => {
    for (const modules of [{}, { grove: null }, null]) {
      const manifests = await withCrds({ config: { modules } });
      expect(crdsIn(manifests)).toEqual(expect.arrayContaining(ofGrove));
      expect(manifests).toContain('apiGroups: [grove.io]');
      expect(manifests).not.toContain('apiGroups: [resource.nvidia.com]');
      expect(manifests).not.toContain('agents.x-k8s.io]');
    }
  });

  it('grants changes of daemons in each namespace of their driver once, and nowhere else', async () => {
    const computeDomains = { driverNamespace: 'driver', additionalNamespaces: ['old', 'driver'] };
    const config = { modules: { grove: false, nvidia: true }, computeDomains };
    const manifests = objectsIn(await withCrds({ config }));
    const named = manifests.filter(
      (object) => text(at(object, 'metadata', 'name')) === 'coppice-compute-domains',
    );
    expect(
      named.map(
        (object) => `${text(at(object, 'kind'))} ${text(at(object, 'metadata', 'namespace'))}`,
      ),
    ).toEqual(['Role driver', 'Role old', 'RoleBinding driver', 'RoleBinding old']);
    // DaemonSets are made in one of them, and only ended in the others.
    const created = named.map((role) =>
      grantsIn(stringify(role)).flatMap(({ resource, verb }) =>
        verb === 'create' ? resource : [],
      ),
    );
    expect(created).toEqual([
      ['computedomaincliques', 'daemonsets'],
      ['computedomaincliques'],
      [],
      [],
    ]);
  });

  it('grants nothing on templates, claims and warm pools where only Sandboxes are served', async () => {
    const modules = { grove: false, agentsandbox: true };
    const groups = async (extensions: boolean): Promise<readonly string[]> => {
      const manifests = await withCrds({ config: { modules, agentSandbox: { extensions } } });
      return grantsIn(manifests).map(({ group, resource }) => `${group}/${resource}`);
    };
    const claims = 'extensions.agents.x-k8s.io/sandboxclaims';
    expect(await groups(true)).toEqual(expect.arrayContaining([claims]));
    const without = await groups(false);
    expect(without).toEqual(expect.arrayContaining(['agents.x-k8s.io/sandboxes']));
    expect(without).not.toContain(claims);
    expect(without).not.toContain('networking.k8s.io/networkpolicies');
  });

  it('has none of a module that is off, and else what it has without CRDs', async () => {
    const values = { config: { modules: { grove: false } } };
    const manifests = await withCrds(values);
    expect(crdsIn(manifests)).toEqual([]);
    expect(manifests).not.toContain('grove.io]');
    const kinds = objectsIn(manifests).map((object) => text(at(object, 'kind')));
    expect(kinds).toEqual(
      expect.arrayContaining(['ClusterRole', 'ConfigMap', 'Deployment', 'Service']),
    );
    expect(manifests).toBe(await rendered(folder, values));
  });

  it('gives the pods what the values say of them', async () => {
    const values = {
      imagePullSecrets: [{ name: 'registry' }],
      podAnnotations: { team: 'a' },
      podLabels: { tier: 'control' },
      nodeSelector: { pool: 'system' },
      tolerations: [{ operator: 'Exists' }],
      affinity: { podAntiAffinity: {} },
    };
    const all = objectsIn(await rendered(folder, values));
    const template = at(
      all.find((object) => at(object, 'kind') === 'Deployment'),
      'spec',
      'template',
    );
    const { podAnnotations, podLabels, ...spec } = values;
    expect(at(template, 'spec')).toMatchObject(spec);
    expect(at(template, 'metadata', 'annotations')).toMatchObject(podAnnotations);
    expect(at(template, 'metadata', 'labels')).toMatchObject(podLabels);
  });

  it('has none where Helm is not asked for them', async () => {
    expect(crdsIn(await rendered(folder, {}))).toEqual([]);
  });

  it('shows them for whoever applies them without Helm', async () => {
    const { stdout } = await run(binary('helm'), ['show', 'crds', chartFolder], {
      maxBuffer: maxManifests,
    });
    expect(crdsIn(stdout)).toEqual(all);
  });

  it('has the same as a package', async () => {
    const { stdout } = await run(binary('helm'), ['package', chartFolder, '-d', folder]);
    const chart = text(stdout.trim().split(': ').at(-1));
    expect(crdsIn(await withCrds({}, chart))).toEqual(ofGrove);
    expect(crdsIn(await withCrds({ config: { modules: { grove: false } } }, chart))).toEqual([]);
  });
});
