// The processes of a real control plane: how one is started, told apart from a stranger with a
// recycled pid, found again and stopped. Called by up.ts and state.ts.
import { type ChildProcess, spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { basename, join, sep } from 'node:path';
import { cacheFolder } from './recipe.ts';

export interface Running {
  readonly name: string;
  readonly pid: number;
  /** Start time of the process in clock ticks since boot: tells a recycled pid apart. */
  readonly started: string;
}

/** Starts a process of its own group with its log in the folder; it outlives its starter. */
export function start(
  folder: string,
  name: string,
  command: string,
  args: readonly string[],
): Running {
  const log = openSync(join(folder, `${name}.log`), 'a');
  const child: ChildProcess = spawn(command, args, {
    cwd: folder,
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.unref();
  const pid = child.pid ?? 0;
  if (pid === 0) throw new Error(`${name} could not be started: ${command}`);
  return { name, pid, started: startTime(pid) };
}

export const self = (): Running => ({
  name: 'starter',
  pid: process.pid,
  started: startTime(process.pid),
});

export const isAlive = ({ pid, started }: Running): boolean =>
  startTime(pid) === started && started !== '';

/** Binaries of ours that run with this working folder. Where there is no /proc: none. */
export function processesIn(folder: string): readonly Running[] {
  const place = realPath(folder);
  const programs = realPath(cacheFolder) + sep;
  return processIds().flatMap((pid) => {
    try {
      const program = readlinkSync(`/proc/${pid}/exe`);
      if (!program.startsWith(programs)) return [];
      if (readlinkSync(`/proc/${pid}/cwd`).replace(/ \(deleted\)$/, '') !== place) return [];
      return [{ name: basename(program), pid, started: startTime(pid) }];
    } catch {
      return []; // ended meanwhile, or another user's
    }
  });
}

const stopLimitMs = 10_000;

const realPath = (path: string): string => (existsSync(path) ? realpathSync(path) : path);

function processIds(): readonly number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** Its data is thrown away, so nobody asks it to finish in order: an API server takes its time. */
export async function stop(process_: Running): Promise<void> {
  if (!isAlive(process_)) return;
  try {
    process.kill(process_.pid, 'SIGKILL');
  } catch {
    // ended meanwhile
  }
  if (await until(() => Promise.resolve(!isAlive(process_)), stopLimitMs)) return;
  throw new Error(`${process_.name} (pid ${process_.pid}) does not end`);
}

/** Polls until the claim holds; false after the limit. */
export async function until(claim: () => Promise<boolean>, limitMs: number): Promise<boolean> {
  const end = Date.now() + limitMs;
  while (!(await claim())) {
    if (Date.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return true;
}

/** Field 22 of /proc/<pid>/stat (proc(5)); empty for a process that is not there or is a zombie. */
function startTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? '' : (fields[19] ?? '');
  } catch {
    return '';
  }
}

/** The last lines of a process's log, for messages. */
export function tail(folder: string, name: string, lines = 15): string {
  try {
    return readFileSync(join(folder, `${name}.log`), 'utf8')
      .trimEnd()
      .split('\n')
      .slice(-lines)
      .join('\n');
  } catch {
    return '(no log)';
  }
}
