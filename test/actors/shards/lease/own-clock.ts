// The clock of one of several processes on one virtual clock: faster or slower, paused, dead. Used
// by server.ts and world.ts.
import type { Clock } from '#actors/ports.ts';
import type { VirtualClock } from '#test/support/virtual-clock.ts';

/** Faster or slower than the world's. Its time goes on while the process is paused, as that of a
 *  stopped process does; what was due meanwhile happens when it goes on. */
export class OwnClock implements Clock {
  readonly #world: VirtualClock;
  readonly #rate: number;
  readonly #start: number;
  readonly #late: (() => void)[] = [];
  isPaused = false;
  isDead = false;

  constructor(world: VirtualClock, rate: number) {
    this.#world = world;
    this.#rate = rate;
    this.#start = world.now();
  }

  now(): number {
    return this.#start + (this.#world.now() - this.#start) * this.#rate;
  }

  steady(): number {
    return this.now();
  }

  at(at: number, run: () => void): () => void {
    const due = this.#start + Math.ceil((at - this.#start) / this.#rate);
    return this.#world.at(due, this.guard(run));
  }

  soon(run: () => void): void {
    this.#world.soon(this.guard(run));
  }

  /** Of a paused process nothing runs; of a dead one nothing ever. */
  guard(run: () => void): () => void {
    return () => {
      if (this.isDead) return;
      if (this.isPaused) this.#late.push(run);
      else run();
    };
  }

  resume(): void {
    this.isPaused = false;
    for (const run of this.#late.splice(0)) this.soon(run);
  }
}
