// Installs the Debian packages of packages.json that are missing, where that can be done: as root
// with apt-get. What cannot be had costs a named line and never the run: the tests that want it
// are skipped by name. Called by .ci/stages.mjs; `node .ci/packages.mjs` does it by hand.
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { supervise } from './supervise.mjs';

const indexMs = 60_000;
const allMs = 180_000;

/** @type {readonly { package: string, program: string, for: string }[]} */
const wanted = JSON.parse(readFileSync(new URL('packages.json', import.meta.url), 'utf8'));

/**
 * @param {string} program
 * @param {string} path  as of the environment
 */
function isThere(program, path = process.env['PATH'] ?? '') {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Installs, and prints what there is no getting of. */
export async function installPackages() {
  const missing = wanted.filter(({ program }) => !isThere(program));
  if (missing.length === 0) return;
  const begun = performance.now();
  const why = await install(missing.map((each) => each.package));
  const seconds = Math.round((performance.now() - begun) / 1000);
  for (const each of missing) {
    const outcome = isThere(each.program)
      ? `installed in ${seconds} s with the others: ${each.package}`
      : `not installed: ${each.package}: ${why ?? `it has no ${each.program}`}`;
    console.log(`${outcome}; it ${each.for}`);
  }
}

/**
 * All at once, which is quick; else one by one, since one unknown name keeps the others away.
 * @param {readonly string[]} names
 * @returns {Promise<string | undefined>} why not
 */
async function install(names) {
  if (!isThere('apt-get')) return 'there is no apt-get';
  if (process.getuid?.() !== 0) return 'only root may';
  const until = performance.now() + allMs;
  await apt(['update'], indexMs);
  let why = await apt(['install', '--no-install-recommends', ...names], until - performance.now());
  if (why === undefined) return undefined;
  for (const name of names) {
    const left = until - performance.now();
    if (left > 0) why = (await apt(['install', '--no-install-recommends', name], left)) ?? why;
  }
  return why;
}

/**
 * @param {readonly string[]} args
 * @param {number} limitMs
 * @returns {Promise<string | undefined>} why not
 */
async function apt(args, limitMs) {
  const quiet = ['-qq', '-y', '-o', 'DPkg::Lock::Timeout=30', '-o', 'Acquire::Retries=1'];
  const { code, isCut, lines } = await supervise(
    '/bin/sh',
    ['-c', 'exec apt-get "$@" >/dev/null', 'apt-get', ...quiet, ...args],
    // Runlevel 1: what is a server is installed and not started.
    { limitMs, env: { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' } },
  );
  if (code === 0) return undefined;
  return isCut
    ? `apt-get ${args[0]} took too long`
    : (lines.at(-1) ?? `apt-get ended with ${code}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await installPackages();
