// When the high-water mark of a table falls, by example. slots.test.ts runs them, and
// test/surface/activator.ts writes what comes out into docs/activator.md.

export interface TrimExample {
  readonly start: string;
  /** The pods at places 0 to n - 1, in slots 0 to n - 1. */
  readonly pods: number;
  readonly release: string;
  readonly releases: readonly {
    readonly places: readonly number[];
    /** After these were released. */
    readonly highWater: number;
    readonly because: string;
  }[];
}

export const trimExamples: readonly TrimExample[] = [
  {
    start: '10 pods',
    pods: 10,
    release: '9, 8, 7, 6, 5, then 4',
    releases: [
      { places: [9, 8, 7, 6, 5], highWater: 10, because: 'half of the slots is empty, not more' },
      { places: [4], highWater: 4, because: '6 of 10 are empty, and all of them are trailing' },
    ],
  },
  {
    start: '10 pods',
    pods: 10,
    release: '0, 1, 2, 3, 4, 5',
    releases: [
      { places: [0, 1, 2, 3, 4, 5], highWater: 10, because: '6 of 10 are empty, none is trailing' },
    ],
  },
  {
    start: '10 pods',
    pods: 10,
    release: '0, 1, 2, 3, 4, 5, then 9',
    releases: [
      { places: [0, 1, 2, 3, 4, 5, 9], highWater: 9, because: 'one of the 7 holes is trailing' },
    ],
  },
  {
    start: '10 pods',
    pods: 10,
    release: '0 to 8, then 9',
    releases: [
      {
        places: [0, 1, 2, 3, 4, 5, 6, 7, 8],
        highWater: 10,
        because: 'the last pod holds the mark',
      },
      { places: [9], highWater: 0, because: 'all are trailing' },
    ],
  },
  {
    start: '4 pods',
    pods: 4,
    release: '1, 2, then 3',
    releases: [
      { places: [1, 2], highWater: 4, because: 'half of the slots is empty, not more' },
      { places: [3], highWater: 1, because: '3 of 4 are empty, and all of them are trailing' },
    ],
  },
  {
    start: 'no pod',
    pods: 0,
    release: '0',
    releases: [{ places: [0], highWater: 0, because: 'there is nothing to release' }],
  },
];

export interface MemoryExample {
  readonly what: string;
  /** That the table has had at once. */
  readonly most: number;
  /** That are left: the last ones, so that the high-water mark stays. */
  readonly pods: number;
  /** Heap and typed arrays, strings and index too; memory.test.ts measures it. */
  readonly kilobytes: number;
}

/** Of a revision with a maximal scale of 1,000, for which 2,000 slots are planned. */
export const memoryExamples: readonly MemoryExample[] = [
  { what: '10 pods, and there never were more', most: 10, pods: 10, kilobytes: 8.4 },
  { what: '10 pods in the last of 2,000 slots', most: 2_000, pods: 10, kilobytes: 130 },
  { what: '2,000 pods: half of them drain', most: 2_000, pods: 2_000, kilobytes: 440 },
];
