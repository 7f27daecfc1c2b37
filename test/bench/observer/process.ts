// The benchmark's hold on its observer: starts it, claims things of the cluster and learns when
// they came to be true.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Claim, type Counts, machineMs, type Order, readNotice } from './claims.ts';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));

/** For each claim, unless told otherwise. */
const patienceSeconds = 600;
const startLimitMs = 60_000;

export class Observer {
  readonly #child: ChildProcess;
  readonly #limitMs: number;
  readonly #answers = new Map<number, (value: { atMs: number; counts?: Counts }) => void>();
  readonly #failures = new Set<(error: Error) => void>();
  #ids = 0;
  #isOver = false;
  readonly pid: number;

  private constructor(child: ChildProcess, limitMs: number) {
    this.#child = child;
    this.#limitMs = limitMs;
    this.pid = child.pid ?? 0;
    child.on('message', (message) => {
      const notice = readNotice(message);
      if (notice === undefined || notice.notice === 'synced') return;
      const answer = this.#answers.get(notice.id);
      this.#answers.delete(notice.id);
      if (notice.notice === 'met') answer?.({ atMs: notice.atMs });
      else answer?.({ atMs: machineMs(), counts: notice.counts });
    });
    child.once('exit', (code, signal) => {
      if (!this.#isOver) this.#fail(new Error(`the observer ended with ${code ?? signal}`));
    });
  }

  /** Resolves when it has listed everything and misses nothing from then on. */
  static async start(
    kubeconfig: string,
    namespace: string,
    patience = patienceSeconds,
  ): Promise<Observer> {
    const child = fork(main, [kubeconfig, namespace], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const observer = new Observer(child, patience * 1000);
    await observer.#orFail<void>(startLimitMs, 'the observer was not ready', (resolve) => {
      child.on('message', (message) => {
        if (readNotice(message)?.notice === 'synced') resolve();
      });
    });
    return observer;
  }

  /** When the claim came true, in milliseconds of `machineMs`. Rejects with the counts after the
   *  limit. */
  async until(what: string, claim: Claim): Promise<number> {
    const id = this.#ids++;
    try {
      const { atMs } = await this.#ask({ order: 'await', id, claim }, this.#limitMs);
      return atMs;
    } catch (error) {
      const counts = this.#isOver ? undefined : await this.counts().catch(() => undefined);
      const seen = JSON.stringify(counts ?? 'nothing');
      throw new Error(`${what} did not come to be; the observer sees ${seen}`, { cause: error });
    }
  }

  async counts(): Promise<Counts> {
    const { counts } = await this.#ask({ order: 'count', id: this.#ids++ }, startLimitMs);
    if (counts === undefined) throw new Error('the observer answered without counts');
    return counts;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.#fail(new Error('the observer was stopped'));
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.disconnect();
    await ended;
  }

  #ask(order: Order, afterMs: number): Promise<{ atMs: number; counts?: Counts }> {
    return this.#orFail(afterMs, 'no answer', (resolve) => {
      this.#answers.set(order.id, resolve);
      this.#child.send(order);
    });
  }

  #orFail<T>(
    afterMs: number,
    what: string,
    begin: (resolve: (value: T) => void) => void,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (stabilize: () => void): void => {
        clearTimeout(timer);
        this.#failures.delete(fail);
        stabilize();
      };
      const fail = (error: Error): void => end(() => reject(error));
      const timer = setTimeout(() => fail(new Error(`${what} after ${afterMs} ms`)), afterMs);
      this.#failures.add(fail);
      begin((value) => end(() => resolve(value)));
    });
  }

  #fail(error: Error): void {
    for (const fail of [...this.#failures]) fail(error);
  }
}
