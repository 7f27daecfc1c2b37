// The clock by which spans are measured: the time of day may jump by an hour in either direction.
// Used wherever something waits or lasts.
import type { Clock } from './ports.ts';

/** Milliseconds with fractions, never going back; only differences mean anything. */
export const steadyNow = (clock: Clock): number => clock.steady?.() ?? clock.now();
