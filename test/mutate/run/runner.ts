// A process that runs tests in a copy of the sources (worker.ts), started again after one of its
// runs was ended because it took too long. One per core.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface RunnerOptions {
  /** How many failures end a run, 0: none. */
  readonly bail: number;
  /** Of property tests: a mutant meets the same cases whenever it is judged. */
  readonly seed: number;
  /** Of vitest.config.ts. */
  readonly projects: readonly string[];
  /** Of a test that names no limit of its own; 30 s by default. */
  readonly testTimeoutMs?: number;
}

export interface Job {
  /** Sources that are not what they were in the run before. */
  readonly changed: readonly string[];
  /** Files of tests, those first that may fail soonest. */
  readonly tests: readonly string[];
  /** A pattern: only tests with such a title. */
  readonly title?: string;
}

/** In the place of a name: the file does not load, or a hook of it failed. */
export const notATest = 'outside of its tests';

export interface FileResult {
  readonly path: string;
  readonly passed: number;
  /** Names of tests; `notATest` where the file failed and none of them. */
  readonly failed: readonly string[];
  /** What they said, one for each error, with the difference of what is compared. */
  readonly messages: readonly string[];
  readonly ms: number;
}

export interface Answer {
  readonly files: readonly FileResult[];
  /** Outside of all files of tests. */
  readonly errors: readonly string[];
}

const worker = fileURLToPath(new URL('./worker.ts', import.meta.url));

export class TestRunner {
  readonly #folder: string;
  readonly #args: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;

  constructor(folder: string, { bail, seed, projects, testTimeoutMs = 30_000 }: RunnerOptions) {
    this.#folder = folder;
    this.#args = [String(bail), String(testTimeoutMs), ...projects];
    // COPPICE_SEED would leave one history of those that are drawn by seed.
    this.#env = { ...process.env, COPPICE_PROPERTY_SEED: String(seed) };
    delete this.#env['COPPICE_SEED'];
    // In CI each test has a second attempt, which a mutant does not deserve.
    delete this.#env['CI'];
  }

  /** Undefined: it took longer than that, or the process ended. */
  async run(job: Job, limitMs: number): Promise<Answer | undefined> {
    this.#child ??= await this.#start();
    const child = this.#child;
    const answer = await new Promise<Answer | undefined>((resolve) => {
      const timer = setTimeout(resolve, limitMs, undefined);
      const end = (told: Answer | undefined) => {
        clearTimeout(timer);
        resolve(told);
      };
      child.once('message', (told) => end(told as Answer));
      child.once('exit', () => end(undefined));
      child.send(job);
    });
    child.removeAllListeners();
    if (answer === undefined) this.stop();
    return answer;
  }

  /** With what it has started: a test that never ends holds a process of its own. */
  stop(): void {
    const pid = this.#child?.pid;
    this.#child = undefined;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  #start(): Promise<ChildProcess> {
    const stdio: ['ignore', 'ignore', 'inherit', 'ipc'] = ['ignore', 'ignore', 'inherit', 'ipc'];
    const child = fork(worker, this.#args, {
      cwd: this.#folder,
      env: this.#env,
      stdio,
      detached: true,
    });
    return new Promise((resolve, reject) => {
      child.once('message', () => resolve(child));
      child.once('exit', (code) => reject(new Error(`no tests can be run: exit code ${code}`)));
    });
  }
}
