// How pauses between attempts grow, wherever something is tried again; whoever spreads them does
// that with its own random.

/** `first` before the first attempt (1), doubling, at most `most`; in the unit of the two. */
export const backoff = (attempt: number, first: number, most: number): number =>
  Math.min(most, first * 2 ** Math.min(Math.max(0, attempt - 1), 30));
