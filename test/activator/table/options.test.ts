// What a table reads from its options: how many slots it plans for, which policy it has, how many
// requests it takes, and which pods are in the slice of an activator.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  clusterIpLimit,
  maxCapacity,
  policyFor,
  slotsFor,
  tableDefaults,
} from '#src/activator/table/options.ts';
import { sliceOf } from '#machines/activator/slices.ts';
import { PodTable } from '#src/activator/table/table.ts';
import { giveBack, now, podAt, podsAt, removeAt, tableOf, takeAll } from './support.ts';

describe('Slots', () => {
  const { maxSlots } = tableDefaults;

  it.each([
    [0, 2_000],
    [-1, 2_000],
    [Number.NaN, 2_000],
    [Number.POSITIVE_INFINITY, 2_000],
    [1.5, 2_000],
    [undefined, 2_000],
    [1, 2],
    [10, 20],
    [1_000, 2_000],
    [10_000, 20_000],
    [524_288, maxSlots],
    [524_289, maxSlots],
    [2 ** 31 - 1, maxSlots],
    [2 ** 53 - 1, maxSlots],
  ])('for a maximal scale of %d are %i (R-2)', (maxScale, slots) => {
    expect(slotsFor(maxScale, maxSlots)).toBe(slots);
  });

  it('are planned for, and allocated when pods come (R-2)', () => {
    const before = process.memoryUsage();
    const table = new PodTable({ limit: 1, seed: 1, maxScale: 2 ** 31 - 1 });
    table.put(podAt(0), now);
    const after = process.memoryUsage();
    expect(table.figures.slots).toBe(maxSlots);
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(100_000);
  });

  it('grow with the maximal scale, and never below those in use', () => {
    const table = tableOf(10, { maxScale: 5 });
    table.setMaxScale(50);
    expect(table.figures.slots).toBe(100);
    table.setMaxScale(1);
    expect(table.figures.slots).toBe(10);
    expect(table.audit()).toEqual([]);
  });
});

describe('Options', () => {
  it('have their defaults in one place (R-28)', () => {
    expect(tableDefaults).toEqual({ maxScale: 1_000, maxSlots: 1_048_576, trimThreshold: 0.5 });
    expect(new PodTable({ limit: 0, seed: 1 }).policy).toBe('random-choice-2');
  });

  it.each([
    [{ trimThreshold: 0 }, 'trimThreshold must be above 0 and at most 1, not 0'],
    [{ trimThreshold: -1 }, 'trimThreshold must be above 0 and at most 1, not -1'],
    [{ trimThreshold: 2 }, 'trimThreshold must be above 0 and at most 1, not 2'],
    [{ trimThreshold: Number.NaN }, 'trimThreshold must be above 0 and at most 1, not NaN'],
    [{ limit: -1 }, 'limit must be a whole number from 0 to 2147483647, not -1'],
    [{ limit: 1.5 }, 'limit must be a whole number from 0 to 2147483647, not 1.5'],
    [{ seed: -1 }, 'seed must be a whole number from 0 to 4294967295, not -1'],
    [{ maxSlots: 1 }, 'maxSlots must be a whole number from 2 to 1048576, not 1'],
    [
      { policy: 'fastest' as 'random' },
      'policy must be one of random, random-choice-2, first-available, round-robin, least-loaded, ' +
        'not "fastest"',
    ],
  ])('out of bounds are refused by name: %j (R-12)', (options, sentence) => {
    expect(() => tableOf(0, options)).toThrow(sentence);
  });

  it('choose the policy by the limit as Knative does (T-U1 to T-U3, H-32, H-36, H-37)', () => {
    expect([0, 1, 3, 4, 1_000].map(policyFor)).toEqual([
      'random-choice-2',
      'first-available',
      'first-available',
      'round-robin',
      'round-robin',
    ]);
  });
});

describe('Capacity', () => {
  it('counts routable pods alone (R-25)', () => {
    const table = tableOf(8, { limit: 10 });
    takeAll(table, 8);
    table.put(podAt(3, 'not-ready'), now);
    table.put(podAt(4, 'not-ready'), now);
    removeAt(table, 5);
    table.put(podAt(6, 'recovering'), now);
    table.put(podAt(7, 'recovering'), now);
    expect(table.figures).toMatchObject({ live: 8, routable: 5, draining: 1, capacity: 50 });
  });

  it('is there from the turn in which a pod is routable to that in which it is not (T-19, H-1)', () => {
    const table = tableOf(0, { limit: 4 });
    expect(table.figures.capacity).toBe(0);
    table.put(podAt(0, 'not-ready'), now);
    expect(table.figures.capacity).toBe(0);
    table.put(podAt(0), now);
    expect(table.figures).toMatchObject({ capacity: 4, available: 1 });
    table.put(podAt(0, 'not-ready'), now);
    expect(table.figures).toMatchObject({ capacity: 0, available: 0 });
  });

  it('is not limited where pods are not, if there is one (H-2)', () => {
    const table = tableOf(2, { limit: 0 });
    expect(table.figures.capacity).toBe(maxCapacity);
    expect(takeAll(table, 5_000)).not.toContain(-1);
    removeAt(table, 0, 1);
    expect(table.figures.capacity).toBe(0);
    expect(table.slots.take()).toBe(-1);
  });

  it('of pods that stay is not used up by requests on pods that leave (T-20)', () => {
    const table = tableOf(2, { limit: 2, policy: 'first-available' });
    takeAll(table, 2);
    removeAt(table, 0);
    expect(takeAll(table, 3)).toEqual([1, 1, -1]);
  });

  it('that is lowered stops no request, and none comes until enough have ended (1.7)', () => {
    const table = tableOf(1, { limit: 3 });
    takeAll(table, 3);
    table.setLimit(2);
    expect(table.snapshot()).toMatchObject([{ inFlight: 3, limit: 2 }]);
    giveBack(table, 0);
    expect(table.slots.take()).toBe(-1);
    giveBack(table, 0);
    expect(table.slots.take()).toBe(0);
    table.setLimit(5);
    expect(takeAll(table, 4)).toEqual([0, 0, 0, -1]);
    expect(table.audit()).toEqual([]);
  });

  it('passes holes by when a limit is set (R-26)', () => {
    const table = tableOf(10, { limit: 3 });
    removeAt(table, 2, 5, 6);
    table.setLimit(4);
    expect(table.audit()).toEqual([]);
    expect(table.figures).toMatchObject({ available: 7, capacity: 28 });
    expect(() => table.setLimit(-1)).toThrow('limit must be a whole number from 0');
  });

  it.each([
    [10, [1, 10, 100], 0, [10, 100, 1_000]],
    [10, [10], 5, [20]],
    [10, [10], 200, [1]],
    [10, [0], 200, [0]],
    [0, [0, 1, 10], 1, [0, maxCapacity, maxCapacity]],
  ])('through a cluster IP with limit %i and backends %j (2.1.6)', (limit, backends, a, limits) => {
    expect(backends.map((count) => clusterIpLimit(limit, count, a))).toEqual(limits);
  });
});

describe('Fragmentation', () => {
  it('is 0 for an empty table, and the share of holes for others (R-16)', () => {
    expect(tableOf(0).figures.fragmentation).toBe(0);
    const table = tableOf(10);
    removeAt(table, 0, 4, 5);
    expect(table.figures.fragmentation).toBe(0.3);
  });
});

describe('The slice of an activator', () => {
  const numbers = (dests: readonly string[]): readonly number[] => dests.map(Number);
  const dests = (pods: number): readonly string[] =>
    Array.from({ length: pods }, (_, place) => String(place).padStart(3, '0')).toReversed();
  const slices = (pods: number, activators: number): readonly (readonly number[])[] =>
    Array.from({ length: activators }, (_, place) =>
      numbers(sliceOf(dests(pods), { limit: 1, activators, place })),
    );

  it('is a range in the order of addresses, and what is left over goes to the first ones (T-U7, H-21)', () => {
    expect(slices(10, 3)).toEqual([
      [0, 1, 2, 9],
      [3, 4, 5],
      [6, 7, 8],
    ]);
    expect(slices(6, 4)).toEqual([[0, 4], [1, 5], [2], [3]]);
    expect(slices(3, 2)).toEqual([[0, 2], [1]]);
    expect(slices(2, 3)).toEqual([[0], [1], [0]]);
    expect(slices(150, 5).map(({ length }) => length)).toEqual([30, 30, 30, 30, 30]);
  });

  it('is everything where there is no limit, no place or no other one (H-16, H-21)', () => {
    const pods = podsAt(3).map(({ dest }) => dest);
    for (const sharing of [
      { limit: 0, activators: 2, place: 1 },
      { limit: 1, activators: 2, place: -1 },
      { limit: 1, activators: 1, place: 0 },
    ]) {
      expect(sliceOf(pods, sharing)).toEqual(pods);
    }
  });

  it('is as large as any other, and all of them together are all pods (P-22, H-14, H-15)', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 80 }),
        (pods, count) => {
          const all = slices(pods, count);
          const sizes = all.map(({ length }) => length);
          expect(new Set(all.flat()).size).toBe(pods);
          expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
          if (count <= pods) expect(all.flat()).toHaveLength(pods);
        },
      ),
    );
  });
});
