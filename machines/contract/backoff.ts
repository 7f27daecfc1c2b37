// How pauses between attempts grow, wherever something is tried again, and when one is over;
// whoever spreads them does that with its own random.
import type { EpochMs } from '../kubernetes/time.ts';

/** `first` before the first attempt (1), doubling, at most `most`; in the unit of the two. */
export const backoff = (attempt: number, first: number, most: number): number =>
  Math.min(most, first * 2 ** Math.min(Math.max(0, attempt - 1), 30));

/**
 * True when a pause of our own that was to end `at` has ended. One that would last longer than any
 * pause does was begun before the clock was set back: it is over too.
 */
export const isPauseOver = (at: EpochMs, now: EpochMs, longestMs: number): boolean =>
  now >= at || at - now > longestMs;
