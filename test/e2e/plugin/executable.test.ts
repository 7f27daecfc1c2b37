// The plugin as it is shipped: the bundle, found by kubectl, and the program that needs no Node.
// The latter takes a package that npm fetches; where it cannot be had the test is skipped.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '#src/bundle/build.ts';
import { makeExecutable, postject } from '#src/bundle/executable.ts';
import { shell, without } from '#test/support/tools.ts';

const packaged: { readonly version: string; readonly bin: Readonly<Record<string, string>> } =
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));

const folder = mkdtempSync(join(tmpdir(), 'coppice-plugin-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const missing = without('kubectl');
const said = `kubectl-coppice ${packaged.version}\n`;

describe.skipIf(missing !== '')(`The bundle of the plugin${missing}`, () => {
  beforeAll(() => bundle(folder));

  test('is found by kubectl, with its completion', async () => {
    const environment = { PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}` };
    const version = await shell('kubectl coppice version', environment);
    expect([version.code, version.stdout]).toEqual([0, said]);
    const completed = await shell('kubectl __complete coppice supp 2>/dev/null', environment);
    expect(completed.stdout).toBe('support-bundle\n:4\n');
    const { stdout } = await shell('kubectl plugin list 2>&1', environment);
    expect(stdout).toContain(join(folder, 'bin', 'kubectl-coppice'));
    expect(stdout).not.toContain('not executable');
  });

  test('is what package.json names', () => {
    for (const file of Object.values(packaged.bin)) {
      expect(existsSync(join(folder, file.replace(/^dist\//, '')))).toBe(true);
    }
  });
});

/** Why the package cannot be had; empty: it can. */
function obstacle(): string {
  try {
    execFileSync('npx', ['--yes', '--package', postject, 'postject', '--help'], {
      stdio: 'ignore',
      timeout: 60_000,
    });
    return '';
  } catch {
    return ` [skipped: npm cannot fetch ${postject}]`;
  }
}

const why = obstacle();

describe.skipIf(why !== '')(`The plugin as a program without Node${why}`, () => {
  test('runs alone, and comes with its archive and manifest', { timeout: 300_000 }, async () => {
    const files = await makeExecutable(folder, 'https://example.com/releases');
    const [program = '', archive = '', manifest = ''] = files;
    const run = await shell(`'${program}' version`, { PATH: '/nowhere' });
    expect([run.code, run.stdout]).toEqual([0, said]);
    const refused = await shell(`'${program}' why pcs demo --kubeconfig /nowhere`);
    expect(refused.code).toBe(2);
    const listed = await shell(`tar tzf '${archive}' && cat '${manifest}'`);
    expect(listed.stdout).toMatch(/^kubectl-coppice\nLICENSE\napiVersion: krew/);
    expect(listed.stdout).toMatch(/sha256: [0-9a-f]{64}/);
  });
});
