// What the bundled controller loads of Node: nothing that only packages would use, as each takes
// megabytes of every process (decision 0057).
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleController } from '#src/bundle/build.ts';
import { Programs } from '#test/support/program.ts';

const programs = new Programs();
const folder = mkdtempSync(join(tmpdir(), 'coppice-bundle-'));
let entry = '';
beforeAll(async () => {
  entry = await bundleController(folder);
}, 120_000);
afterAll(async () => {
  await programs.end();
  rmSync(folder, { recursive: true, force: true });
});

const listed = join(folder, 'loaded.json');
/** Writes down what is loaded when the process ends. */
const preload = `data:text/javascript,${encodeURIComponent(`
  import { writeFileSync } from 'node:fs';
  process.on('exit', () => {
    writeFileSync(${JSON.stringify(listed)}, JSON.stringify(process.moduleLoadList));
  });
`)}`;

test('the bundled controller loads no HTTP/2, and no undici but its own', async () => {
  // It is read, and is wrong: the process ends with all its code loaded.
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, 'apiVersion: v1\nkind: Config\nclusters: []\n');
  const args = ['--import', preload, entry, 'controller', '--kubeconfig', kubeconfig];
  const run = programs.run(process.execPath, args);
  expect(await run.ended).toEqual({ code: 2, signal: null });
  const loaded: readonly string[] = JSON.parse(readFileSync(listed, 'utf8'));
  expect(loaded).toContain('NativeModule http');
  expect(loaded).toContain('NativeModule tls');
  expect(loaded).not.toContain('NativeModule http2');
  expect(loaded).not.toContain('NativeModule internal/deps/undici/undici');
}, 60_000);
