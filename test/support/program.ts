// `coppice` as processes of their own, for tests that must not share one with what they test: lines
// are waited for, signals sent, and whatever a test started is dead when it ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Program {
  readonly pid: number;
  /** Lines so far. */
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  /** Resolves with the first line of either stream that matches, also one that was there before. */
  line(pattern: RegExp): Promise<RegExpMatchArray>;
  /** After the streams were read to their end. */
  readonly ended: Promise<Ended>;
  /** Sends a message over IPC and resolves with the answer. */
  ask(message: object): Promise<unknown>;
  signal(name: NodeJS.Signals): void;
  /** Closes our end of its output, as `head` does when it has enough. */
  unread(): void;
  /** SIGKILL: as a crash. */
  kill(): Promise<void>;
}

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** Many start at once on a machine that does much else. */
const lineLimitMs = 240_000;
/** Gets every line of every program, for whoever has to find out why a test failed. */
const logFile = process.env['COPPICE_TEST_LOG'];

/** All programs of one test file; `end` belongs in its `afterAll`. */
export class Programs {
  readonly #alive = new Set<Program>();

  /** Runs `coppice ...args`. */
  coppice(...args: readonly string[]): Program {
    return this.run(process.execPath, [main, ...args]);
  }

  /** The same with a module loaded before it. */
  preloaded(url: string, ...args: readonly string[]): Program {
    return this.run(process.execPath, ['--import', url, main, ...args]);
  }

  /** `environment`: besides what this process has. */
  run(
    command: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Program {
    // The channel lets a program end by itself when these tests are killed.
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...process.env, NODE_NO_WARNINGS: '1', ...environment },
    });
    const program = follow(child, args.slice(1).join(' '));
    this.#alive.add(program);
    void program.ended.then(() => this.#alive.delete(program));
    return program;
  }

  async end(): Promise<void> {
    await Promise.all([...this.#alive].map((program) => program.kill()));
  }
}

interface Spoken {
  readonly name: string;
  readonly pid: number;
  /** Of both streams, as they came. */
  readonly lines: readonly string[];
}

const spoken: Spoken[] = [];

/** What every program that this process started has said, for whoever collects the evidence of a
 *  failure. */
export const programsSoFar = (): readonly Spoken[] => spoken;

function follow(child: ChildProcess, name: string): Program {
  const all: string[] = [];
  spoken.push({ name, pid: child.pid ?? 0, lines: all });
  const listeners = new Set<(line: string) => void>();
  const read = (stream: ChildProcess['stdout']): readonly string[] => {
    const lines: string[] = [];
    if (stream === null) return lines;
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      all.push(line);
      if (logFile !== undefined) appendFileSync(logFile, `${child.pid} ${line}\n`);
      for (const listener of [...listeners]) listener(line);
    });
    return lines;
  };
  const stdout = read(child.stdout);
  const stderr = read(child.stderr);
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  return {
    pid: child.pid ?? 0,
    stdout,
    stderr,
    ended,
    line: (pattern) => awaitLine({ pattern, name, all, listeners, ended }),
    ask: (message) =>
      new Promise((resolve, reject) => {
        child.once('message', resolve);
        child.send(message, (error) => {
          if (error !== null) reject(error);
        });
      }),
    signal: (signal) => void child.kill(signal),
    unread: () => {
      for (const stream of [child.stdout, child.stderr]) stream?.destroy();
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

interface Awaited {
  readonly pattern: RegExp;
  readonly name: string;
  readonly all: readonly string[];
  readonly listeners: Set<(line: string) => void>;
  readonly ended: Promise<Ended>;
}

function awaitLine({ pattern, name, all, listeners, ended }: Awaited): Promise<RegExpMatchArray> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      clearTimeout(timer);
      listeners.delete(listen);
    };
    const fail = (why: string): void => {
      done();
      const said = all.slice(-20).join('\n');
      reject(new Error(`coppice ${name} ${why} before it printed ${pattern}:\n${said}`));
    };
    const listen = (line: string): void => {
      const match = line.match(pattern);
      if (match === null) return;
      done();
      resolve(match);
    };
    const timer = setTimeout(() => fail(`took more than ${lineLimitMs} ms`), lineLimitMs);
    listeners.add(listen);
    void ended.then(({ code, signal }) => fail(`ended with ${code ?? signal}`));
    for (const line of all) listen(line);
  });
}

/** Processes whose command line holds the text: what a program started and left behind. Linux. */
export function processesNaming(text: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid, command: commandOf(pid) }))
    .filter(({ command }) => command.includes(text))
    .map(({ pid, command }) => `${pid} ${command}`);
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
  } catch {
    return ''; // ended meanwhile
  }
}
