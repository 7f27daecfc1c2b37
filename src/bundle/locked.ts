// The packages of the lockfile with their licenses: what ships apart from what only builds and
// tests. For the bill of materials (sbom.ts) and for the list of licenses.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { object, text } from '#machines/kubernetes/json.ts';

const lockfile = join(fileURLToPath(new URL('../../', import.meta.url)), 'package-lock.json');

export interface Locked {
  /** Its own, also where it is installed under another. */
  readonly name: string;
  readonly version: string;
  /** As SPDX writes it; empty where the package says none. */
  readonly license: string;
  readonly isDevelopment: boolean;
}

/** Sorted, and each version once, wherever it is in the tree. */
export function lockedPackages(): readonly Locked[] {
  const lock: unknown = JSON.parse(readFileSync(lockfile, 'utf8'));
  const found = new Map<string, Locked>();
  for (const [path, entry] of Object.entries(object(object(lock)['packages']))) {
    if (path === '') continue;
    const { name, version, license, dev, devOptional } = object(entry);
    const place = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const own = text(name) || place;
    const key = `${own} ${text(version)}`;
    const isElsewhere = found.get(key)?.isDevelopment === false;
    found.set(key, {
      name: own,
      version: text(version),
      license: text(license),
      isDevelopment: (dev === true || devOptional === true) && !isElsewhere,
    });
  }
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}
