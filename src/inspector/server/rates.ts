// How often somebody may ask: a burst, refilled one by one. For requests of users, and for reviews
// of tokens that are not known yet.
import { putNewest } from '#actors/maps.ts';
import type { Clock } from '#actors/ports.ts';
import { viewersKnown } from './limits.ts';

interface Allowance {
  left: number;
  /** On the steady clock. */
  at: number;
}

export class Rates {
  readonly #clock: Clock;
  readonly #burst: number;
  readonly #refillMs: number;
  readonly #allowances = new Map<string, Allowance>();

  constructor(clock: Clock, burst: number, refillMs: number) {
    this.#clock = clock;
    this.#burst = burst;
    this.#refillMs = refillMs;
  }

  /** False: too often. */
  take(who: string): boolean {
    const now = this.#clock.steady();
    const before = this.#allowances.get(who) ?? { left: this.#burst, at: now };
    const refilled = Math.floor((now - before.at) / this.#refillMs);
    const left = Math.min(this.#burst, before.left + refilled);
    const at = before.at + refilled * this.#refillMs;
    putNewest(this.#allowances, who, { left: Math.max(0, left - 1), at }, viewersKnown);
    return left > 0;
  }
}
