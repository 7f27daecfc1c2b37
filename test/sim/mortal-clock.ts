// The clock of one simulated process: time passes as for everybody else, but may be off (a clock
// jump), and when the process dies nothing that it had planned happens any more.
import type { Clock } from '#actors/ports.ts';
import type { EpochMs } from '#machines/vocabulary.ts';

export class MortalClock implements Clock {
  readonly #world: Clock;
  readonly #planned = new Set<() => void>();
  #offsetMs = 0;
  #jumpedAt = -Infinity;
  #isAlive = true;

  constructor(world: Clock) {
    this.#world = world;
  }

  now(): EpochMs {
    return this.#world.now() + this.#offsetMs;
  }

  /** Jumps do not show here, as in a real process. */
  steady(): number {
    return this.#world.now();
  }

  /** After the time that is left now, whatever jumps follow: as a real timer. */
  at(at: EpochMs, run: () => void): () => void {
    if (!this.#isAlive) return () => {};
    const cancel = this.#world.at(at - this.#offsetMs, () => {
      forget();
      run();
    });
    const forget = (): void => {
      cancel();
      this.#planned.delete(forget);
    };
    this.#planned.add(forget);
    return forget;
  }

  soon(run: () => void): void {
    this.#world.soon(() => {
      if (this.#isAlive) run();
    });
  }

  /** From now on this process believes that it is so much later (or earlier). */
  jump(ms: number): void {
    this.#offsetMs += ms;
    this.#jumpedAt = this.#world.now();
  }

  /** In the last so many milliseconds. */
  hasJumped(ms: number): boolean {
    return this.#world.now() - this.#jumpedAt <= ms;
  }

  die(): void {
    this.#isAlive = false;
    for (const forget of [...this.#planned]) forget();
  }
}
