// What was caught, as an error: whatever may be thrown. Used where an attempt at a pod fails.

export const asError = (caught: unknown): Error =>
  caught instanceof Error ? caught : new Error(String(caught));
