// Installs what is missing before a command runs: `npm ci` for a fresh clone or a changed lockfile,
// and once more under the packaged Node for optional packages that npm skipped under an old one.
// With everything there it reads two files and calls nobody, so it works offline.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { compareLocks } from './lockfile.mjs';
import { isAtLeast, oldestNode, packagedNode, systemNode } from './node-choice.mjs';

// Warnings are about engines of old Nodes, which is what the launcher is there for.
const npmFlags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
const lockPollMs = 250;

/** What went wrong, in words for the person at the terminal. */
export class LaunchError extends Error {}

/**
 * Makes node_modules what package-lock.json says.
 * @param {string} root  the checkout
 * @param {{ path: string, version: string }} system  the Node that is there anyway
 * @returns {{ path: string, version: string }} the Node to run under
 */
export function prepare(root, system = systemNode()) {
  let state = inspect(root, system);
  if (state.wrong.length > 0 || state.isTopUpDue) {
    withInstallLock(root, () => {
      state = inspect(root, system); // another launcher may have done it meanwhile
      if (state.wrong.length > 0) installAll(root, state.wrong);
      state = inspect(root, system);
      if (state.isTopUpDue) installSkipped(root, state);
      state = inspect(root, system);
    });
  }
  const chosen = state.node;
  if (chosen !== undefined) return chosen;
  throw new LaunchError(
    `Coppice needs Node >= ${oldestNode}; the system has ${system.version} and there is ` +
      `no packaged Node for ${process.platform}-${process.arch}. Install a newer Node.`,
  );
}

/**
 * @param {string} root
 * @param {{ path: string, version: string }} system
 */
function inspect(root, system) {
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const installedFile = join(root, 'node_modules', '.package-lock.json');
  const installed = existsSync(installedFile)
    ? JSON.parse(readFileSync(installedFile, 'utf8')).packages
    : {};
  const differences = compareLocks(JSON.parse(text).packages, installed, {
    os: process.platform,
    cpu: process.arch,
    libc: libcOf(),
  });
  const node = chooseNode(root, system);
  // The stamp says for which lockfile and Node the top-up was tried, so that a package which cannot
  // be had is asked for once and not at every start.
  const stamp = createHash('sha256').update(`${node?.version}\n${text}`).digest('hex');
  const stampFile = join(root, 'node_modules', '.coppice-optional');
  const isStamped = existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp;
  const isTopUpDue =
    differences.wrong.length === 0 && differences.skipped.length > 0 && !isStamped && !!node;
  return { ...differences, node, isTopUpDue, stamp, stampFile };
}

/**
 * @param {string} root
 * @param {{ path: string, version: string }} system
 */
function chooseNode(root, system) {
  if (isAtLeast(system.version, oldestNode)) return system;
  const packaged = packagedNode(root);
  if (packaged === undefined || !existsSync(packaged)) return undefined;
  const manifest = readFileSync(join(dirname(packaged), '..', 'package.json'), 'utf8');
  return { path: packaged, version: String(JSON.parse(manifest).version) };
}

/** glibc or musl on Linux, where some packages come in both. */
function libcOf() {
  if (process.platform !== 'linux') return undefined;
  const report = process.report?.getReport();
  const header = typeof report === 'object' && 'header' in report ? report.header : {};
  return typeof header === 'object' && header !== null && 'glibcVersionRuntime' in header
    ? 'glibc'
    : 'musl';
}

/**
 * @param {string} root
 * @param {string[]} wrong
 */
function installAll(root, wrong) {
  console.error(`coppice: installing packages (${wrong.length} missing or of another version) ...`);
  const result = runNpm(root, process.execPath, ['ci', ...npmFlags]);
  if (result.ok) return;
  throw new LaunchError(
    `npm ci failed (${result.why}), see above. It needs the npm registry once: check the network, ` +
      'the proxy and `npm config get registry`, then run the same command again.',
  );
}

/**
 * @param {string} root
 * @param {ReturnType<typeof inspect>} state
 */
function installSkipped(root, state) {
  if (state.node === undefined) return;
  const names = state.skipped.map((path) => path.replace(/^.*node_modules\//, '')).join(', ');
  console.error(`coppice: adding optional packages for Node ${state.node.version}: ${names} ...`);
  const result = runNpm(root, state.node.path, ['install', '--no-save', ...npmFlags]);
  const missing = inspect(root, state.node).skipped;
  if (!result.ok || missing.length > 0) {
    console.error(`coppice: not installed: ${names}. Going on without.`);
  }
  writeFileSync(state.stampFile, state.stamp);
}

/**
 * Runs npm under a given Node, its output on stderr so that stdout stays the command's own.
 * @param {string} root
 * @param {string} node
 * @param {string[]} args
 * @returns {{ ok: true } | { ok: false, why: string }}
 */
function runNpm(root, node, args) {
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}` };
  const done = spawnSync(node, [npmCli(), ...args], { cwd: root, env, stdio: ['ignore', 2, 2] });
  if (done.status === 0) return { ok: true };
  return { ok: false, why: done.error?.message ?? done.signal ?? `exit code ${done.status}` };
}

/** npm's own script: the one that called us, else the one beside the system's Node. */
function npmCli() {
  const own = process.env['npm_execpath'] ?? '';
  if (/npm-cli\.c?js$/.test(own) && existsSync(own)) return own;
  const bin = dirname(systemNode().path);
  const places = [
    join(bin, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(bin, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    ...(process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'npm')),
  ];
  const found = places.find((place) => existsSync(place));
  if (found === undefined) throw new LaunchError('npm was not found beside Node or on the PATH.');
  return realpathSync(found);
}

/**
 * One install at a time in a checkout; a lock whose owner is dead is taken over.
 * @param {string} root
 * @param {() => void} work
 */
function withInstallLock(root, work) {
  const file = join(root, '.cache', 'install.lock');
  mkdirSync(dirname(file), { recursive: true });
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      break;
    } catch {
      if (isOwnerAlive(file))
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lockPollMs);
      else rmSync(file, { force: true });
    }
  }
  try {
    work();
  } finally {
    rmSync(file, { force: true });
  }
}

/** @param {string} file */
function isOwnerAlive(file) {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false; // no such process, or the lock went away meanwhile
  }
}
