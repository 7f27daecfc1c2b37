// What the launcher installs and when it leaves npm alone, with an npm of the test in a checkout of
// its own: the real one is started, as a process, by its path.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { LaunchError, prepare } from '#src/launch/install.mjs';
import { packagedNode } from '#src/launch/node-choice.mjs';

const needed = { version: '1.0.0' };
const optional = { version: '2.0.0', optional: true, os: process.platform, cpu: process.arch };

/** New enough, and not looked for on the machine of the test. */
const running = { path: process.execPath, version: process.versions.node };

let root = '';
let said: MockInstance;

/** An npm that writes down how it was called and installs `ci` without, `install` with options. */
const npm = `
const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs');
appendFileSync('calls', process.argv[2] + ' ' + process.argv.includes('--ignore-scripts') + '\\n');
if (process.env.FAKE_NPM_FAILS) process.exit(7);
const packages = JSON.parse(require('node:fs').readFileSync('package-lock.json')).packages;
const isWhole = process.argv[2] === 'install' && !process.env.FAKE_NPM_SKIPS;
const installed = Object.entries(packages).filter(([, entry]) => isWhole || !entry.optional);
mkdirSync('node_modules', { recursive: true });
const text = JSON.stringify({ packages: Object.fromEntries(installed) });
writeFileSync('node_modules/.package-lock.json', text);
`;

const lock = (packages: object) =>
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }));
const calls = () =>
  existsSync(join(root, 'calls'))
    ? readFileSync(join(root, 'calls'), 'utf8').trim().split('\n')
    : [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'coppice-launch-'));
  const file = join(root, 'npm-cli.js');
  writeFileSync(file, npm);
  vi.stubEnv('npm_execpath', file);
  said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(root, { recursive: true });
});

describe('prepare', () => {
  it('installs from scratch in a fresh clone, without scripts, and then never again', () => {
    lock({ '': {}, 'node_modules/a': needed });
    expect(existsSync(prepare(root, running).path)).toBe(true);
    expect(calls()).toEqual(['ci true']);
    prepare(root, running);
    expect(calls()).toEqual(['ci true']);
  });

  it('installs again after the lockfile changed', () => {
    lock({ 'node_modules/a': needed });
    prepare(root, running);
    lock({ 'node_modules/a': { version: '1.0.1' } });
    prepare(root, running);
    expect(calls()).toEqual(['ci true', 'ci true']);
  });

  it('takes the packaged Node where the one of the system is too old', () => {
    const old = { path: process.execPath, version: '20.19.0' };
    lock({ 'node_modules/a': needed });
    expect(() => prepare(root, old)).toThrow(/needs Node >= 22.19.0; the system has 20.19.0/);
    const packaged = packagedNode(root);
    if (packaged === undefined) return;
    mkdirSync(dirname(packaged), { recursive: true });
    writeFileSync(packaged, '');
    writeFileSync(join(dirname(packaged), '..', 'package.json'), '{"version":"24.21.0"}');
    expect(prepare(root, old)).toEqual({ path: packaged, version: '24.21.0' });
  });

  it('adds optional packages that npm left out', () => {
    lock({ 'node_modules/a': needed, 'node_modules/b': optional });
    prepare(root, running);
    expect(calls()).toEqual(['ci true', 'install true']);
    prepare(root, running);
    expect(calls()).toHaveLength(2);
  });

  it('asks once for an optional package that cannot be had, and goes on without', () => {
    vi.stubEnv('FAKE_NPM_SKIPS', '1');
    lock({ 'node_modules/a': needed, 'node_modules/b': optional });
    prepare(root, running);
    prepare(root, running);
    expect(calls()).toEqual(['ci true', 'install true']);
    expect(said).toHaveBeenCalledWith('coppice: not installed: b. Going on without.');
  });

  it('says what to do when npm fails, and tries again the next time', () => {
    vi.stubEnv('FAKE_NPM_FAILS', '1');
    lock({ 'node_modules/a': needed });
    expect(() => prepare(root, running)).toThrow(LaunchError);
    expect(() => prepare(root, running)).toThrow(
      /npm ci failed \(exit code 7\).*check the network/,
    );
    expect(calls()).toHaveLength(2);
  });

  it('takes over the lock of a launcher that died', () => {
    lock({ 'node_modules/a': needed });
    prepare(root, running);
    lock({ 'node_modules/a': { version: '1.0.1' } });
    writeFileSync(join(root, '.cache', 'install.lock'), '999999999');
    prepare(root, running);
    expect(calls()).toHaveLength(2);
    expect(existsSync(join(root, '.cache', 'install.lock'))).toBe(false);
  });
});
