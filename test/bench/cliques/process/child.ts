// A part of the benchmark as a process of its own, so that its CPU time and memory can be told
// apart: the starter asks by name and gets one answer for each question. The other end is in
// serve.ts; a child ends when its starter does.
import { type ChildProcess, fork } from 'node:child_process';
import type { Answer, Ask } from './serve.ts';

export class Child {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #ended: Promise<void>;
  #ids = 0;

  /** `main`: path of the file that serves; `flags`: of Node. */
  constructor(main: string, flags: readonly string[] = []) {
    this.#child = fork(main, [], {
      execArgv: [...process.execArgv, ...flags],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      serialization: 'advanced',
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
    });
    this.#child.on('message', (message) => this.#take(message as Answer));
    this.#ended = new Promise((resolve) => this.#child.once('exit', () => resolve()));
    this.#child.once('exit', () => this.#fail(new Error(`${main} has ended`)));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Rejects with what the child says, and when it ends before it answers. */
  ask(question: string, value?: unknown): Promise<unknown> {
    const id = this.#ids++;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    // Whoever stops the child may not wait for the answer any more.
    waiting.promise.catch(() => {});
    const ask: Ask = { id, question, value };
    this.#child.send(ask, (error) => {
      if (error !== null) waiting.reject(error);
    });
    return waiting.promise;
  }

  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
  }

  #take({ id, value, error }: Answer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(new Error(error));
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
