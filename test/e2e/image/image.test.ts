// The image, as `npm run image` makes it and umoci unpacks it: who runs what, how large it is, that
// it has no shell, and that a controller which sees nothing but its files deploys a set. The
// Dockerfile, which no test here can build, says the same. On the real control plane:
// test/e2e/real/image.test.ts.
import { globSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at } from '#machines/kubernetes/json.ts';
import { entrypoint, environment, makeImage, user } from '#src/bundle/image.ts';
import { eventually } from '#test/support/eventually.ts';
import { Place } from '#test/support/place.ts';
import type { Program } from '#test/support/program.ts';
import { createNamespace, createSet, get, setsIn } from '#test/support/workload.ts';
import { root } from '#test/tidy/sources.ts';
import { imageSkip, Unpacked } from './unpacked.ts';

const maxBytes = 60_000_000;
const manifest: { readonly version: string } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);
const image = new Unpacked();
const place = new Place();

const run = (...args: readonly string[]): Program => place.programs.run(...image.command(...args));

describe.skipIf(imageSkip !== '')(`The image${imageSkip}`, () => {
  beforeAll(() => Promise.all([image.start(), place.start({ nodes: 4 })]));
  afterAll(async () => {
    await place.end();
    image.end();
  });

  test('runs the controller as a user without rights', () => {
    const config = image.config();
    expect(at(config, 'process', 'user', 'uid')).toBe(user);
    expect(at(config, 'process', 'user', 'gid')).toBe(user);
    expect(at(config, 'process', 'args')).toEqual([...entrypoint, 'help']);
    expect(at(config, 'process', 'cwd')).toBe('/app');
    expect(at(config, 'process', 'env')).toEqual(expect.arrayContaining([...environment]));
  });

  test('has 60 MB at most as a registry stores it, compressed (S-15)', () => {
    const blobs = join(image.folder, 'oci', 'blobs', 'sha256');
    const sizes = readdirSync(blobs).map((name) => statSync(join(blobs, name)).size);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeLessThanOrEqual(maxBytes);
    // Node is in it: less would be another image.
    expect(bytes).toBeGreaterThan(maxBytes / 3);
  });

  test('has one program, which is no shell, and no file that its user may change (S-15)', () => {
    const files = globSync('**/*', { cwd: image.root });
    const programs = files
      .filter((file) => statSync(join(image.root, file)).isFile())
      .filter((file) => (statSync(join(image.root, file)).mode & 0o111) !== 0)
      .filter((file) => !/\/(?:lib[^/]*\.so[.\d]*|ld-linux[^/]*)$/.test(file));
    expect(programs).toEqual(['nodejs/bin/node']);
    const open = files.filter((file) => {
      const { mode, uid } = lstatSync(join(image.root, file));
      return file !== 'tmp' && !file.startsWith('tmp/') && ((mode & 0o022) !== 0 || uid !== 0);
    });
    expect(open).toEqual([]);
  });

  test('is the same when it is built again (S-15)', async () => {
    const first = image.digest();
    await makeImage(image.folder);
    expect(first).toMatch(/^sha256:/);
    expect(image.digest()).toBe(first);
  });

  test('says its version', async () => {
    const program = run('version');
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(program.stdout).toEqual([`coppice ${manifest.version}`]);
  });

  test('applies the CRDs that are in it', async () => {
    const program = run('crds', '--kubeconfig', place.kubeconfig);
    const { code } = await program.ended;
    expect({ code, said: program.stderr }).toEqual({ code: 0, said: [] });
    expect(program.stdout.join('\n')).toContain('podcliquesets.grove.io');
  });

  test('deploys a set', async () => {
    const config = place.writeConfiguration();
    const program = run('controller', '--config', config, '--kubeconfig', place.kubeconfig);
    await program.line(/"health":"([^"]+)"/);
    expect(readFileSync(`/proc/${program.pid}/status`, 'utf8')).toMatch(
      new RegExp(`^Uid:\\s+${user}\\s+${user}\\s`, 'm'),
    );
    await createNamespace(place.client, 'image');
    await createSet(place.client, 'image', { name: 'demo', replicas: 2 });
    await eventually(
      'available',
      async () => {
        const set = await get(place.client, `${setsIn('image')}/demo`);
        return at(set, 'status', 'availableReplicas');
      },
      (count) => count === 2,
    );
    await program.kill();
  });
});

describe('The Dockerfile', () => {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const of = (word: string): readonly string[] =>
    Array.from(dockerfile.matchAll(new RegExp(`^${word} (.+)$`, 'gm')), ([, rest = '']) => rest);

  test('makes the same image on a base that is a tag of an argument', () => {
    expect(of('USER')).toEqual([`${user}:${user}`]);
    expect(of('ENTRYPOINT').map((words): unknown => JSON.parse(words))).toEqual([entrypoint]);
    expect(of('CMD')).toEqual(['["help"]']);
    expect(of('ENV')).toEqual([environment.join(' ')]);
    expect(of('ARG')).toEqual([expect.stringMatching(/^BASE=[\w./-]+\/nodejs24-[\w-]+:nonroot$/)]);
    expect(of('FROM')).toEqual(['${BASE}']);
  });

  test('runs nothing, so that it needs no machine of each platform', () => {
    expect(of('RUN')).toEqual([]);
    expect(of('COPY')).toEqual(['dist/image/app /app']);
    expect(readFileSync(join(root, '.dockerignore'), 'utf8')).toBe('*\n!dist/image/app\n');
  });
});
