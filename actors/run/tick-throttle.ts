// How fast ticks follow each other. The first ones of a burst follow at once, so that a chain of
// answers is never slowed down; under load they keep a distance, so that what arrives meanwhile is
// one tick's work. Where next to nothing arrived it was no load, but a chain that is longer than a
// burst, such as a rolling update; bursts double until a wait shows load again, so that a long
// chain seldom waits. Used by scheduler.ts.
import type { Limits } from '../limits.ts';
import type { Clock } from '../ports.ts';

type TickLimits = Pick<Limits, 'tickBurst' | 'tickBurstMost' | 'tickDistanceMs' | 'tickStream'>;

export class TickThrottle {
  readonly #clock: Clock;
  readonly #limits: TickLimits;
  /** When the ticks taken so far would be over, had each of them lasted the distance. */
  #due = Number.NEGATIVE_INFINITY;
  /** Ticks that may follow each other at once. */
  #burst: number;

  constructor(clock: Clock, limits: TickLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#burst = limits.tickBurst;
  }

  /** Takes a tick; the milliseconds after which it may begin, at most the distance. */
  take(): number {
    const now = this.#clock.steady();
    const { tickDistanceMs: distance } = this.#limits;
    const early = this.#due - (this.#burst - 1) * distance - now;
    this.#due = Math.max(this.#due, now) + distance;
    return Math.min(Math.max(early, 0), distance);
  }

  /** A tick has waited, and so many things came in. */
  waited(news: number): void {
    const { tickBurst, tickBurstMost, tickStream } = this.#limits;
    const isLoad = news >= tickStream;
    this.#burst = isLoad ? tickBurst : Math.min(2 * this.#burst, tickBurstMost);
    if (!isLoad) this.#due = Number.NEGATIVE_INFINITY;
  }
}
