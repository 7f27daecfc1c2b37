// How fast ticks follow each other. The first ones of a burst follow at once, so that a chain of
// answers is never slowed down; under load they keep a distance, so that what arrives meanwhile is
// one tick's work. Used by scheduler.ts.
import type { Clock } from '../ports.ts';

export class TickThrottle {
  readonly #clock: Clock;
  readonly #burst: number;
  readonly #distanceMs: number;
  /** When the ticks taken so far would be over, had each of them lasted the distance. */
  #due = Number.NEGATIVE_INFINITY;

  /** `burst` ticks at once, another one every `distanceMs`. */
  constructor(options: { clock: Clock; burst: number; distanceMs: number }) {
    this.#clock = options.clock;
    this.#burst = options.burst;
    this.#distanceMs = options.distanceMs;
  }

  /** Takes a tick; the milliseconds after which it may begin, at most the distance. */
  take(): number {
    const now = this.#clock.steady();
    const distance = this.#distanceMs;
    const early = this.#due - (this.#burst - 1) * distance - now;
    this.#due = Math.max(this.#due, now) + distance;
    return Math.min(Math.max(early, 0), distance);
  }
}
