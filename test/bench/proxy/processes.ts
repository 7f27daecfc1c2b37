// The processes of `npm run bench -- activator-proxy`: each bound to a processor, and ended with
// its parent. The contender has the first processor of the machine alone; generator and backends
// share the second.
import { type ChildProcess, execFile, spawn, type StdioOptions } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { Commanded } from './contenders/programs.ts';

export const contenderCore = 0;
export const otherCore = 1;

/** Those of the programs that are not installed. */
export async function missingPrograms(names: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    names.map((name) =>
      promisify(execFile)('sh', ['-c', `command -v ${name}`]).then(
        () => true,
        () => false,
      ),
    ),
  );
  return names.filter((_, index) => found[index] !== true);
}

export interface Running {
  readonly child: ChildProcess;
  /** Whoever had ended before rejects with what it said last. */
  stop(): Promise<void>;
}

const bound = (core: number, { program, args }: Commanded): readonly string[] => [
  ...['--cpu-list', String(core), program],
  ...args,
];

export function start(core: number, command: Commanded, stdio: StdioOptions): Running {
  const child = spawn('taskset', bound(core, command), { stdio });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + String(chunk)).slice(-4096);
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(`it ended with ${code ?? signal}`));
  });
  return {
    child,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`${command.program}: ${await ended}: ${said}`);
      }
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** What the process wrote to its standard output. Rejects where it fails. */
export async function output(core: number, command: Commanded): Promise<string> {
  const { stdout } = await promisify(execFile)('taskset', [...bound(core, command)]);
  return stdout;
}

/** One that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export interface Spent {
  /** Of the processor. */
  readonly cpuMs: number;
  readonly rssMb: number;
}

/** What a process has spent since its start; taskset became the program that it started. */
export async function spent(pid: number): Promise<Spent> {
  const [stat, status] = await Promise.all(
    ['stat', 'status'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8')),
  );
  // After the name, which may hold blanks: the 12th and 13th are user and system time in ticks.
  const fields = (stat ?? '').slice((stat ?? '').lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  const rss = /^VmRSS:\s+(\d+) kB/m.exec(status ?? '')?.[1];
  return { cpuMs: ticks * msPerTick, rssMb: Math.round(Number(rss) / 1024) };
}

/** Of Linux on all processors that this runs on. */
const msPerTick = 10;
