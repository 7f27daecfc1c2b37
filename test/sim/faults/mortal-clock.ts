// The clock and the event loop of one simulated process: time passes as for everybody else, but may
// run at another rate, jump, or find the process stalled, as after SIGSTOP: then nothing happens in
// it until it goes on. When the process dies nothing that it had planned happens any more.
import type { Clock } from '#actors/ports.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';

export class MortalClock implements Clock {
  readonly #world: Clock;
  readonly #startedAt: number;
  readonly #rate: number;
  readonly #planned = new Set<() => void>();
  #offsetMs = 0;
  #isAlive = true;
  #isStalled = false;
  /** What waits for a stalled process, by the phases of Node's loop: timers, answers, the rest. */
  readonly #late = {
    timers: [] as (() => void)[],
    inbox: [] as (() => void)[],
    soon: [] as (() => void)[],
  };

  /** `rate`: how fast it runs; 1 is right. */
  constructor(world: Clock, rate = 1) {
    this.#world = world;
    this.#startedAt = world.now();
    this.#rate = rate;
  }

  now(): EpochMs {
    return Math.floor(this.#startedAt + this.steady() + this.#offsetMs);
  }

  /** Jumps do not show here, as in a real process. */
  steady(): number {
    return (this.#world.now() - this.#startedAt) * this.#rate;
  }

  /** After the time that is left now, whatever jumps follow: as a real timer. */
  at(at: EpochMs, run: () => void): () => void {
    if (!this.#isAlive) return () => {};
    const waitMs = Math.ceil(Math.max(0, at - this.now()) / this.#rate);
    let isPlanned = true;
    const cancel = this.#world.at(this.#world.now() + waitMs, () =>
      this.#pass(this.#late.timers, () => {
        if (!isPlanned) return;
        forget();
        run();
      }),
    );
    const forget = (): void => {
      isPlanned = false;
      cancel();
      this.#planned.delete(forget);
    };
    this.#planned.add(forget);
    return forget;
  }

  soon(run: () => void): void {
    this.#world.soon(() => this.#pass(this.#late.soon, run));
  }

  /** Something comes from outside: an answer, an event, a message. */
  deliver(run: () => void): void {
    this.#pass(this.#late.inbox, run);
  }

  /** From now on this process believes that it is so much later (or earlier). */
  jump(ms: number): void {
    this.#offsetMs += ms;
  }

  /** Timers that are still to fire. */
  get pending(): number {
    return this.#planned.size;
  }

  get isStalled(): boolean {
    return this.#isStalled;
  }

  /** Nothing happens in this process until `resume`. */
  stall(): void {
    this.#isStalled = true;
  }

  /** Goes on with what was due meanwhile, one thing after the other, timers first. */
  resume(): void {
    if (!this.#isAlive) return;
    const { timers, inbox, soon } = this.#late;
    const next = timers.shift() ?? inbox.shift() ?? soon.shift();
    if (next === undefined) {
      this.#isStalled = false;
      return;
    }
    next();
    this.#world.soon(() => this.resume());
  }

  die(): void {
    this.#isAlive = false;
    for (const forget of [...this.#planned]) forget();
  }

  #pass(queue: (() => void)[], run: () => void): void {
    if (!this.#isAlive) return;
    if (this.#isStalled) queue.push(run);
    else run();
  }
}
