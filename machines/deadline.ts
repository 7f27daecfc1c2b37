// Repeating with growing pauses: used where a message between siblings may be lost and is said
// again until its effect is seen.
import { backoff } from './backoff.ts';
import { firstRepeatMs, lastRepeatMs } from './limits.ts';
import type { EpochMs } from './vocabulary.ts';

/** How often it was said already, and when to say it again. */
export interface Repeat {
  readonly times: number;
  readonly at: EpochMs;
}

/** The next pause after one more time: 5 s, doubling to 60 s. */
export const repeatAfter = (repeat: Repeat | undefined, now: EpochMs): Repeat => {
  const times = (repeat?.times ?? 0) + 1;
  return { times, at: now + backoff(times, firstRepeatMs, lastRepeatMs) };
};

export const isDue = (repeat: Repeat | undefined, now: EpochMs): boolean =>
  repeat !== undefined && isPauseOver(repeat.at, now, lastRepeatMs);

/**
 * True when a pause of our own that was to end `at` has ended. One that would last longer than any
 * pause does was begun before the clock was set back: it is over too.
 */
export const isPauseOver = (at: EpochMs, now: EpochMs, longestMs: number): boolean =>
  now >= at || at - now > longestMs;
