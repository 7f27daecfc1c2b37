// Folders of runs of tests in the machine's folder for temporary files, each with a note of the
// process that made it: what a run left that was killed is found by it, clusters among it, and
// taken away by the next. Called by test/e2e/real/global-setup.ts.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { count, isObject, text } from '#machines/kubernetes/json.ts';
import { isAlive, type Running, self } from './processes.ts';
import { down } from './up.ts';

const noteOf = (folder: string): string => join(folder, 'owner.json');

/** A folder without a note may be a second old. */
const noteLimitMs = 60_000;

/** Makes a folder that belongs to this process. */
export function ownFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  writeFileSync(noteOf(folder), JSON.stringify(self()));
  return folder;
}

/** Takes away folders of this prefix whose makers are gone, with every cluster in them; resolves
 *  with their names. What cannot be taken away is left alone. */
export async function sweep(prefix: string): Promise<readonly string[]> {
  const swept: string[] = [];
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(prefix))) {
    const folder = join(tmpdir(), name);
    try {
      if (isOwned(folder)) continue;
      for (const cluster of clustersIn(folder)) await down(cluster);
      rmSync(folder, { recursive: true, force: true });
      swept.push(folder);
    } catch {
      // another user's, or still being started: not ours to fight over
    }
  }
  return swept;
}

function isOwned(folder: string): boolean {
  const owner = existsSync(noteOf(folder)) ? readOwner(folder) : undefined;
  if (owner !== undefined) return isAlive(owner);
  return Date.now() - statSync(folder).mtimeMs < noteLimitMs;
}

function readOwner(folder: string): Running | undefined {
  try {
    const note: unknown = JSON.parse(readFileSync(noteOf(folder), 'utf8'));
    if (!isObject(note)) return undefined;
    return {
      name: text(note['name']),
      pid: count(note['pid']) ?? 0,
      started: text(note['started']),
    };
  } catch {
    return undefined; // half written
  }
}

function clustersIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('cluster.json'))
    .map((path) => join(folder, path, '..'));
}
