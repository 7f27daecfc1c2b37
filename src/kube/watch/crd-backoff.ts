// The time in which the CRD of a scheduler backend is not installed: how often a reflector looks
// for it. Seldom by itself; often while a write waits for it, as then somebody's pods do.
import type { Clock } from '#actors/ports.ts';
import { missingKindRetryMs, wantedKindMs, wantedKindRetryMs } from '../limits.ts';

export class CrdBackoff {
  readonly #clock: Clock;
  #isMissing = false;
  /** The pause that follows is a long one, for want of the CRD and nothing else. */
  #isLong = false;
  #wantedAt = Number.NEGATIVE_INFINITY;
  #hurry: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Somebody looks. What the server says of when to come again is not ours to hurry. */
  looking(): void {
    this.#isLong = false;
  }

  /** The CRD is not there. Returns when to look again, in ms. */
  missing(): number {
    this.#isMissing = true;
    const sinceMs = this.#clock.steady() - this.#wantedAt;
    this.#isLong = sinceMs > wantedKindMs;
    return this.#isLong ? missingKindRetryMs : wantedKindRetryMs;
  }

  /** It is there. True where it was not before. */
  found(): boolean {
    const was = this.#isMissing;
    this.#isMissing = false;
    return was;
  }

  /** A write failed for want of it: it is looked for at once, and often for a while. */
  wanted(): void {
    if (!this.#isMissing) return;
    this.#wantedAt = this.#clock.steady();
    this.#hurry?.();
  }

  /** A pause begins, which `end` ends early if it is a long one for want of the CRD; or it ends. */
  pausing(end?: () => void): void {
    this.#hurry = this.#isLong ? end : undefined;
  }
}
