// The IMEX process: its output goes to ours line by line, and its end is told once. supervisor.ts
// decides when one is started.
import { spawn } from 'node:child_process';
import type { ChildProcess as Child } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface ChildEvents {
  readonly line: (line: string) => void;
  /** Once: how it ended, or why it could not be started. */
  readonly ended: (how: string) => void;
}

export interface ChildProcess {
  /** Never throws; one that has ended takes no signal. */
  signal(name: NodeJS.Signals): void;
}

export type Spawn = (events: ChildEvents) => ChildProcess;

export const spawnChild =
  ([program = '', ...args]: readonly string[]): Spawn =>
  ({ line, ended }) => {
    let child: Child;
    try {
      child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    } catch (error) {
      // For want of memory, say. Later, as every end is told.
      queueMicrotask(() => ended(String(error)));
      return { signal: () => {} };
    }
    let isOver = false;
    const end = (how: string): void => {
      if (!isOver) ended(how);
      isOver = true;
    };
    for (const input of [child.stdout, child.stderr]) {
      // Without descriptors for it, Node leaves it undefined, whatever its types say.
      if (!input) continue;
      createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }).on('line', line);
    }
    // A signal that cannot be sent is an error too, and no end.
    child.on('error', (error) => {
      if (child.pid === undefined) end(error.message);
    });
    // Not `close`, which waits for whoever else holds its output.
    child.once('exit', (code, signal) => end(signal ?? `code ${code}`));
    return { signal: (name) => void child.kill(name) };
  };
