// One `coppice dev` per data folder: a file that names the process, which a crashed one leaves
// behind and the next one recognises as stale.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { at, numberOf, word } from '#machines/kubernetes/json.ts';
import { identityOf } from '#src/natsserver/processes.ts';

interface Holder {
  readonly pid: number;
  /** Of `identityOf`: the pid may have been given to somebody else meanwhile. */
  readonly identity: string;
}

const attempts = 3;

/** Throws with the pid of the process that holds the folder; returns what releases it. */
export function lockFolder(folder: string): () => void {
  const file = join(folder, 'coppice.lock');
  const own = `${file}.${process.pid}`;
  const text = JSON.stringify({ pid: process.pid, identity: identityOf(process.pid) ?? '' });
  writeFileSync(own, text);
  try {
    // Linked into place: of two that start at once one gets it, and nobody reads half a file.
    for (let attempt = 0; attempt < attempts; attempt++) {
      if (isLinked(own, file)) return () => rmSync(file, { force: true });
      const holder = holderIn(file);
      if (holder !== undefined && identityOf(holder.pid) === holder.identity) {
        throw new Error(
          `${folder} is in use by another coppice dev (pid ${holder.pid}): ` +
            'stop it, or choose another folder with --data',
        );
      }
      setAside(file, own);
    }
    throw new Error(`${file} changes hands all the time: choose another folder with --data`);
  } finally {
    rmSync(own, { force: true });
  }
}

function isLinked(own: string, file: string): boolean {
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** What is moved aside may by now be the lock of a living process: then it goes back. */
function setAside(file: string, own: string): void {
  const aside = `${own}.stale`;
  try {
    renameSync(file, aside);
  } catch {
    return; // somebody else was quicker
  }
  const holder = holderIn(aside);
  if (holder !== undefined && identityOf(holder.pid) === holder.identity) isLinked(aside, file);
  rmSync(aside, { force: true });
}

/** Undefined for no file, and for one that is not ours. */
function holderIn(file: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const [pid, identity] = [numberOf(at(value, 'pid')), word(at(value, 'identity'))];
    return pid === undefined || identity === undefined ? undefined : { pid, identity };
  } catch {
    return undefined;
  }
}
