// One worker as the process sees it: its thread, what is said to it, and the requests that it has
// here. Made by pool.ts.
import type { Telemetry } from '#actors/ports.ts';
import { ListenError } from '#src/http/server.ts';
import type { RequestPath } from '../proxy/options.ts';
import { HeldRequests, type HeldParts } from './held-requests.ts';
import { type FromWorker, Outbox, type ToWorker } from './messages.ts';

/** The part of a `Worker` that is used. */
export interface Thread {
  postMessage(batch: readonly ToWorker[]): void;
  on(event: 'message', run: (batch: readonly FromWorker[]) => void): unknown;
  on(event: 'error', run: (error: unknown) => void): unknown;
  on(event: 'exit', run: (code: number) => void): unknown;
  terminate(): Promise<number>;
}

type Ports = RequestPath['ports'];

/** A thread that has been told to stop and does not is ended. */
const stopMs = 2_000;

export class WorkerThread {
  /** Rejects with ListenError where a port cannot be had, and where it ends before. */
  readonly listens: Promise<Ports>;
  /** The thread is no more, and nothing of it is held; with its error, if it had one. */
  readonly ended: Promise<string | undefined>;
  hasListened = false;
  #hasEnded = false;
  readonly #thread: Thread;
  readonly #log: Telemetry['log'];
  readonly #held: HeldRequests;
  readonly #outbox: Outbox<ToWorker>;
  readonly #listening = Promise.withResolvers<Ports>();
  readonly #drained = Promise.withResolvers<void>();
  /** Since when an answer to `health` is owed. */
  #askedAt: number | undefined;

  constructor(thread: Thread, parts: HeldParts & { readonly log: Telemetry['log'] }) {
    this.#thread = thread;
    this.#log = parts.log;
    this.#outbox = new Outbox(thread.postMessage.bind(thread));
    this.#held = new HeldRequests({ ...parts, say: this.#outbox.say });
    this.listens = this.#listening.promise;
    this.listens.catch(() => {});
    thread.on('message', (batch) => batch.forEach((message) => this.#hear(message)));
    const ended = Promise.withResolvers<string | undefined>();
    let failure: string | undefined;
    thread.on('error', (error) => {
      failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
    });
    thread.on('exit', (code) => {
      this.#hasEnded = true;
      this.#held.close();
      this.#drained.resolve();
      this.#listening.reject(new Error(`a worker ended with ${code} before it listened`));
      ended.resolve(failure);
    });
    this.ended = ended.promise;
  }

  say(message: ToWorker): void {
    if (message.type === 'health') this.#askedAt ??= performance.now();
    this.#outbox.say(message);
  }

  /** For how long it has owed an answer. */
  silentMs(): number {
    return this.#askedAt === undefined ? 0 : performance.now() - this.#askedAt;
  }

  /** Resolves when its last request has ended. */
  drain(): Promise<void> {
    this.say({ type: 'drain' });
    return this.#drained.promise;
  }

  async stop(): Promise<void> {
    this.say({ type: 'stop' });
    const timer = setTimeout(() => this.kill(), stopMs);
    await this.ended;
    clearTimeout(timer);
  }

  /** The last resort: `terminate` is reported to crash Node as a whole (nodejs/node#56312). */
  kill(): void {
    void this.#thread.terminate();
  }

  /** What comes after its end is of requests that were given back already. */
  #hear(message: FromWorker): void {
    if (this.#hasEnded) return;
    switch (message.type) {
      case 'log':
        return this.#log(...message.line);
      case 'alive':
        this.#askedAt = undefined;
        return;
      case 'listens':
        this.hasListened = true;
        return this.#listening.resolve(message.ports);
      case 'unable':
        return this.#listening.reject(new ListenError(message.message));
      case 'drained':
        return this.#drained.resolve();
      default:
        this.#held.take(message);
    }
  }
}
