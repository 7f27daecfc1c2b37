// What one process of `npm run bench -- activator-micro` measures: the same few operations again
// and again, beside the loop around them without the operations.

export interface Body {
  /** Does the operation so many times. What comes out of it, so that none can be left out. */
  run(count: number): number;
  /** The loop of `run` and what it remembers, without the operation. */
  empty(count: number): number;
  /** Operations between two looks at the clock. */
  readonly count: number;
  /** What was counted on the way. */
  readonly figures?: () => Readonly<Record<string, number>>;
}

export interface Cell {
  /** Of the benchmark as the spec numbers it, e.g. `B-1`. */
  readonly part: string;
  /** Unique. */
  readonly name: string;
  /** Prepares it, in a process of its own. */
  readonly make: () => Body;
}

/** Operations of a batch where each is a few nanoseconds. */
export const manyOperations = 200_000;

export const emptyLoop = (count: number): number => {
  let sum = 0;
  for (let at = 0; at < count; at++) sum += at & 1;
  return sum;
};
