// When what failed may be asked for again: by whoever failed after a pause that grows, and by
// anybody not before the server allows it: actors that need the same list do not know of each
// other.
import type { ErrorCode } from '#machines/contract/errors.ts';
import type { Limits } from '../limits.ts';
import type { Clock, Random } from '../ports.ts';
import type { Deadlines } from '../run/deadlines.ts';
import { pauseMs } from '../supervision/strategy.ts';

/** The pause after so many failures in a row, not shorter than the server asks for. */
export function retryPauseMs(
  { limits, random }: { readonly limits: Limits; readonly random: Random },
  { code, afterMs }: { readonly code: ErrorCode; readonly afterMs: number },
  failures: number,
): number {
  const maxMs = code === 'UNREACHABLE' ? limits.unreachableMaxMs : limits.retryMaxMs;
  const growing = { minMs: limits.retryMinMs, maxMs, jitter: 0.5 };
  return Math.max(pauseMs(growing, failures, random), afterMs);
}

export class RetryLater {
  readonly #clock: Clock;
  readonly #deadlines: Deadlines;
  /** Until when, on the steady clock. */
  readonly #until = new Map<string, number>();

  constructor(clock: Clock, deadlines: Deadlines) {
    this.#clock = clock;
    this.#deadlines = deadlines;
  }

  isHeld(key: string): boolean {
    return this.#until.has(key);
  }

  /** `over`: called when it may be asked for again. */
  hold(key: string, ms: number, over: () => void): void {
    const until = this.#clock.steady() + ms;
    if (ms <= 0 || until <= (this.#until.get(key) ?? 0)) return;
    this.#until.set(key, until);
    this.#deadlines.after(key, ms, () => {
      this.#until.delete(key);
      over();
    });
  }
}
