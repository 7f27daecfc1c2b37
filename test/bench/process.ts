// A process under measurement: started, asked for its CPU time and peak memory, stopped or killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';

export interface Measured {
  /** User and system time so far in seconds. */
  cpuSeconds(): Promise<number>;
  /** Highest resident set so far in MiB. */
  peakRssMb(): Promise<number>;
  /** Resolves with the first line of standard output that matches. */
  line(pattern: RegExp, timeoutMs?: number): Promise<RegExpMatchArray>;
  /** Sends a message over IPC and resolves with the answer. */
  ask(message: unknown): Promise<unknown>;
  /** SIGTERM, then waits; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL: as a crash. */
  kill(): Promise<void>;
  readonly pid: number;
}

/** Linux counts CPU time in ticks of 1/100 s, whatever the kernel's own rate (proc(5), USER_HZ). */
const ticksPerSecond = 100;

/** `command`: flags of Node, the script and its arguments. */
export function measured(command: readonly string[], label: string): Measured {
  const child = spawn(process.execPath, command, {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  const lines: string[] = [];
  const waiting = new Set<(line: string) => void>();
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      if (process.env['BENCH_VERBOSE'] !== undefined) process.stderr.write(`[${label}] ${line}\n`);
      for (const listener of waiting) listener(line);
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return {
    pid: child.pid ?? 0,
    cpuSeconds: () => cpuSeconds(child),
    peakRssMb: () => peakRssMb(child),
    line: (pattern, timeoutMs = 30_000) =>
      awaitLine({ pattern, timeoutMs, label, lines, waiting, ended }),
    ask: (message) =>
      new Promise((resolve, reject) => {
        child.once('message', resolve);
        child.send(message as object, (error) => {
          if (error !== null) reject(error);
        });
      }),
    stop: async () => {
      child.kill('SIGTERM');
      return ended;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

interface Waiting {
  readonly pattern: RegExp;
  readonly timeoutMs: number;
  readonly label: string;
  readonly lines: readonly string[];
  readonly waiting: Set<(line: string) => void>;
  readonly ended: Promise<number | null>;
}

function awaitLine({
  pattern,
  timeoutMs,
  label,
  lines,
  waiting,
  ended,
}: Waiting): Promise<RegExpMatchArray> {
  const found = lines.map((line) => line.match(pattern)).find((match) => match !== null);
  if (found !== undefined && found !== null) return Promise.resolve(found);
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      waiting.delete(listen);
      reject(
        new Error(`${label} ${why} before it printed ${pattern}:\n${lines.slice(-20).join('\n')}`),
      );
    };
    const timer = setTimeout(() => fail(`took more than ${timeoutMs} ms`), timeoutMs);
    const listen = (line: string): void => {
      const match = line.match(pattern);
      if (match === null) return;
      clearTimeout(timer);
      waiting.delete(listen);
      resolve(match);
    };
    waiting.add(listen);
    void ended.then((code) => {
      clearTimeout(timer);
      fail(`ended with ${code}`);
    });
  });
}

async function cpuSeconds(child: ChildProcess): Promise<number> {
  const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

async function peakRssMb(child: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  const kib = status.match(/^VmHWM:\s+(\d+) kB/m)?.[1];
  return Math.round(Number(kib) / 1024);
}
