// When a pause of ours is over. Used by steps that keep absolute times.
import type { EpochMs } from './vocabulary.ts';

/**
 * True when a pause of our own that was to end `at` has ended. One that would last longer than any
 * pause does was begun before the clock was set back: it is over too.
 */
export const isPauseOver = (at: EpochMs, now: EpochMs, longestMs: number): boolean =>
  now >= at || at - now > longestMs;
