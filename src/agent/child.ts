// The IMEX process: its output goes to ours line by line, and its end is told once. supervisor.ts
// decides when one is started.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

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
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let isOver = false;
    const end = (how: string): void => {
      if (!isOver) ended(how);
      isOver = true;
    };
    const read = (input: Readable): void =>
      void createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }).on('line', line);
    read(child.stdout);
    read(child.stderr);
    // A signal that cannot be sent is an error too, and no end.
    child.on('error', (error) => {
      if (child.pid === undefined) end(error.message);
    });
    // Not `close`: who holds its output does not keep it alive.
    child.once('exit', (code, signal) => end(signal ?? `code ${code}`));
    return { signal: (name) => void child.kill(name) };
  };
