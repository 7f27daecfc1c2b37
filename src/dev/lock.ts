// One `coppice dev` per data folder: a pid file that a crashed process leaves behind is recognised
// as stale and taken over.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Throws with the pid of the process that holds the folder; returns what releases it. */
export function lockFolder(folder: string): () => void {
  const file = join(folder, 'coppice.pid');
  const holder = pidIn(file);
  if (holder !== undefined && holder !== process.pid && isAlive(holder)) {
    throw new Error(
      `${folder} is in use by another coppice dev (pid ${holder}); stop it or choose another --data`,
    );
  }
  writeFileSync(file, `${process.pid}\n`);
  return () => rmSync(file, { force: true });
}

function pidIn(file: string): number | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8').trim());
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Alive and one of ours: a pid may have been given to somebody else meanwhile. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('src/main.ts');
  } catch {
    return true; // no /proc here: believe the signal
  }
}
