// Which pod each policy chooses: the sequences that Knative's tests have, and what holds for many
// choices. Seeds are fixed: a test that draws is right or wrong for good.
// Ten times as many draws, as the spec has them: COPPICE_STEPS=1000000.
import { describe, expect, it } from 'vitest';
import { Random } from '#src/activator/table/random.ts';
import type { PodTable } from '#src/activator/table/table.ts';
import { policyNames, type PolicyName } from '#src/activator/table/types.ts';
import { giveBack, now, podAt, removeAt, tableOf, takeAll } from './support.ts';

const draws = Number(process.env['COPPICE_STEPS'] ?? 100_000) / 10;

const none = -1;

/** How often each slot was chosen, each permit returned at once. */
function countsOf(table: PodTable, times: number): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (let time = 0; time < times; time++) {
    const index = table.slots.take();
    counts.set(index, (counts.get(index) ?? 0) + 1);
    giveBack(table, index);
  }
  return counts;
}

/** What chi-square of equal chances exceeds once in a thousand times (Wilson and Hilferty). */
function chiSquareLimit(freedom: number): number {
  const part = 2 / (9 * freedom);
  return freedom * (1 - part + 3.0902 * Math.sqrt(part)) ** 3;
}

/** Of the pods with place n, those that `isThere` says; the others are gone, or get nothing. */
function riddled(policy: PolicyName, seed: number, count: number): PodTable {
  const table = tableOf(count, { policy, seed, limit: 0, trimThreshold: 1 });
  const random = new Random(seed + 100);
  for (let place = 0; place < count; place++) {
    const lot = random.below(4);
    if (lot === 0) removeAt(table, place);
    if (lot === 1) table.put(podAt(place, 'not-ready'), now);
  }
  return table;
}

describe('Two random choices', () => {
  const options = { policy: 'random-choice-2', limit: 0 } as const;

  it('give the second request to the other one of two pods (H-33)', () => {
    for (let seed = 0; seed < 20; seed++) {
      const table = tableOf(2, { ...options, seed });
      const [first = none, second = none] = takeAll(table, 2);
      expect(second).toBe(1 - first);
      giveBack(table, second);
      expect(table.slots.take()).toBe(second);
    }
  });

  it('use both of two pods that are equally loaded (H-34)', () => {
    expect(new Set(countsOf(tableOf(2, options), 100).keys())).toEqual(new Set([0, 1]));
  });

  it('take no random number for one pod', () => {
    const [one, many] = [tableOf(1, options), tableOf(1, options)];
    for (let time = 0; time < 10; time++) giveBack(one, one.slots.take());
    for (const table of [one, many]) table.put(podAt(1), now);
    expect(takeAll(one, 20)).toEqual(takeAll(many, 20));
  });

  it.each([1, 2, 3, 10, 100, 500])(
    'spread requests that stay evenly over %i pods (P-7)',
    (count) => {
      const requests = 20 * count;
      const table = tableOf(count, options);
      takeAll(table, requests);
      const most = Math.max(...table.snapshot().map(({ inFlight }) => inFlight));
      expect(most).toBeLessThanOrEqual(Math.ceil(requests / count) + 5);
    },
  );

  it('find the one pod that has a permit left among many that have none (P-5)', () => {
    const table = tableOf(500, { policy: 'random-choice-2', limit: 2 });
    takeAll(table, 1_000);
    giveBack(table, 321);
    expect(table.slots.take()).toBe(321);
    expect(table.slots.take()).toBe(none);
  });
});

describe('Chance', () => {
  const layouts = (['random', 'random-choice-2'] as const).flatMap((policy) =>
    [3, 40, 300].map((count) => ({ policy, count })),
  );

  it.each(layouts)('is equal for all of $count with $policy among holes (P-6, L-6)', (layout) => {
    const { policy, count } = layout;
    const table = riddled(policy, count, count);
    const candidates = table.figures.available;
    expect(candidates).toBeGreaterThan(0);
    const counts = countsOf(table, draws);
    const expected = draws / candidates;
    const chiSquare = [...counts.values()].reduce(
      (sum, observed) => sum + (observed - expected) ** 2 / expected,
      (candidates - counts.size) * expected,
    );
    expect(chiSquare).toBeLessThan(chiSquareLimit(Math.max(1, candidates - 1)));
  });
});

describe('First available', () => {
  it('fills the pod of the lowest slot, then the next one (H-38)', () => {
    expect(takeAll(tableOf(2, { policy: 'first-available', limit: 1 }), 3)).toEqual([0, 1, none]);
    expect(takeAll(tableOf(5, { policy: 'first-available', limit: 3 }), 4)).toEqual([0, 0, 0, 1]);
    const table = tableOf(5, { policy: 'first-available', limit: 1 });
    takeAll(table, 3);
    giveBack(table, 1);
    expect(takeAll(table, 3)).toEqual([1, 3, 4]);
  });
});

describe('Round robin', () => {
  const options = { policy: 'round-robin', limit: 1 } as const;

  /** The others get nothing any more. */
  const cut = (table: PodTable, ...places: readonly number[]): void => {
    for (const place of places) table.put(podAt(place, 'not-ready'), now);
  };
  const restore = (table: PodTable, ...places: readonly number[]): void => {
    for (const place of places) table.put(podAt(place), now);
  };

  it('goes on after the last choice, and skips pods that get nothing', () => {
    const table = tableOf(3, options);
    expect(takeAll(table, 2)).toEqual([0, 1]);
    cut(table, 1, 2);
    expect(table.slots.take()).toBe(none);
    restore(table, 1, 2);
    expect(takeAll(table, 2)).toEqual([2, none]);
    giveBack(table, 2);
    expect(table.slots.take()).toBe(2);
  });

  it('stays where it is while no pod has a permit', () => {
    const table = tableOf(3, options);
    expect(takeAll(table, 4)).toEqual([0, 1, 2, none]);
    giveBack(table, 0);
    giveBack(table, 1);
    expect(table.slots.take()).toBe(0);
    expect(takeAll(table, 2)).toEqual([1, none]);
    giveBack(table, 0);
    giveBack(table, 2);
    expect(table.slots.take()).toBe(2);
  });

  it('begins at the first pod again where the last one is full', () => {
    const table = tableOf(3, { ...options, limit: 2 });
    expect(takeAll(table, 2)).toEqual([0, 1]);
    cut(table, 1, 2);
    expect(table.slots.take()).toBe(0);
    restore(table, 1, 2);
    expect(takeAll(table, 3)).toEqual([1, 2, 2]);
  });

  it('gives each pod as many as any other (P-9)', () => {
    const table = riddled('round-robin', 5, 200);
    const { available } = table.figures;
    const counts = countsOf(table, 7 * available + 3);
    expect(counts.size).toBe(available);
    expect(new Set(counts.values())).toEqual(new Set([7, 8]));
  });

  it('comes to the end of a table that is full to its last slot', () => {
    const table = tableOf(64, { ...options, limit: 0, maxScale: 32 });
    expect(takeAll(table, 65)).toEqual([...Array(64).keys(), 0]);
  });
});

describe('Least loaded', () => {
  const options = { policy: 'least-loaded', limit: 0 } as const;

  it('visits all pods in turn that have equally many requests (P-10)', () => {
    const table = riddled('least-loaded', 6, 100);
    const { available } = table.figures;
    const counts = countsOf(table, 5 * available);
    expect(new Set(counts.values())).toEqual(new Set([5]));
    expect(counts.size).toBe(available);
  });

  it('takes the pod with the fewest, then the one that has had so few for longest', () => {
    const table = tableOf(3, options);
    expect(takeAll(table, 6)).toEqual([0, 1, 2, 0, 1, 2]);
    giveBack(table, 2);
    giveBack(table, 0);
    expect(takeAll(table, 3)).toEqual([2, 0, 1]);
  });

  it('keeps its order with more requests than slots', () => {
    const table = tableOf(2, options);
    expect(new Set(takeAll(table, 2_000))).toEqual(new Set([0, 1]));
    expect(table.snapshot().map(({ inFlight }) => inFlight)).toEqual([1_000, 1_000]);
    expect(table.audit()).toEqual([]);
  });
});

describe('Every policy', () => {
  it.each(policyNames)('(%s) has no pod in an empty table, or in one of holes (L-2)', (policy) => {
    const table = tableOf(0, { policy });
    expect(table.slots.take()).toBe(none);
    table.put(podAt(0), now);
    removeAt(table, 0);
    expect(table.slots.take()).toBe(none);
  });

  it.each(policyNames)('(%s) gives no request to a pod in another state (P-5, R-27)', (policy) => {
    const table = tableOf(4, { policy, limit: 3 });
    expect(table.slots.take()).not.toBe(none);
    for (const { index, inFlight } of table.snapshot()) {
      if (inFlight > 0) removeAt(table, index);
      else table.put(podAt(index, 'not-ready'), now);
    }
    expect(table.figures).toMatchObject({ live: 4, draining: 1, available: 0 });
    expect(table.slots.take()).toBe(none);
    table.put(podAt(2, 'recovering'), now);
    const states = table.snapshot();
    const open = states.find(({ state }) => state === 'recovering');
    if (open !== undefined) expect(table.slots.take()).toBe(open.index);
  });

  it.each(policyNames)('(%s) gives no pod more requests than its limit (P-11, H-30)', (policy) => {
    const table = tableOf(10, { policy, limit: 3 });
    expect(takeAll(table, 31).filter((index) => index !== none)).toHaveLength(30);
    expect(table.snapshot().every(({ inFlight }) => inFlight === 3)).toBe(true);
  });

  it.each(policyNames)('(%s) allocates nothing for a request (R-27, H-35)', (policy) => {
    const table = tableOf(100, { policy, limit: 3 });
    takeAll(table, 150);
    const rounds = 20_000;
    const bytes = Array.from({ length: 12 }, () => {
      const before = process.memoryUsage().heapUsed;
      for (let round = 0; round < rounds; round++) giveBack(table, table.slots.take());
      return process.memoryUsage().heapUsed - before;
    });
    // A collection makes a round cheaper than free; code that is compiled, dearer.
    const [least = 0] = bytes.filter((one) => one >= 0).toSorted((a, b) => a - b);
    expect(least / rounds).toBeLessThan(1);
  });
});
