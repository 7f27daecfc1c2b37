// Compares package-lock.json with what npm says it installed (node_modules/.package-lock.json).
// Pure; src/launch/install.mjs asks before every command whether npm must be called at all.

/**
 * One entry of a lockfile, as far as it matters here.
 * @typedef {object} LockEntry
 * @property {string} [version]
 * @property {boolean} [optional]
 * @property {boolean} [link]
 * @property {string | string[]} [os]
 * @property {string | string[]} [cpu]
 * @property {string | string[]} [libc]
 */

/** @typedef {Record<string, LockEntry>} LockEntries  path in the checkout to entry */

/** @typedef {{ os: string, cpu: string, libc: string | undefined }} Platform */

/**
 * What differs: `wrong` must be put right by an install from scratch, `skipped` are optional
 * packages for this very platform that npm left out, as it does when their `engines` exclude the
 * Node under which it runs.
 * @param {LockEntries} locked
 * @param {LockEntries} installed
 * @param {Platform} platform
 */
export function compareLocks(locked, installed, platform) {
  /** @type {string[]} */
  const wrong = [];
  /** @type {string[]} */
  const skipped = [];
  for (const [path, entry] of Object.entries(locked)) {
    if (path === '' || entry.link === true) continue;
    const present = installed[path];
    if (present !== undefined) {
      if (present.version !== entry.version) wrong.push(path);
    } else if (entry.optional !== true) {
      wrong.push(path);
    } else if (isForPlatform(entry, platform)) {
      skipped.push(path);
    }
  }
  return { wrong, skipped };
}

/**
 * True for a package that names this platform. One that names none is a dependency of others.
 * @param {LockEntry} entry
 * @param {Platform} platform
 */
function isForPlatform(entry, platform) {
  if (entry.os === undefined && entry.cpu === undefined) return false;
  return (
    allows(entry.os, platform.os) &&
    allows(entry.cpu, platform.cpu) &&
    (platform.libc === undefined || allows(entry.libc, platform.libc))
  );
}

/**
 * npm's rule for `os`, `cpu` and `libc`: a list of names, `!name` excludes, none allows all.
 * @param {string | string[] | undefined} list
 * @param {string} name
 */
function allows(list, name) {
  if (list === undefined) return true;
  const names = [list].flat();
  if (names.includes(`!${name}`)) return false;
  return names.includes(name) || names.includes('any') || names.every((one) => one.startsWith('!'));
}
