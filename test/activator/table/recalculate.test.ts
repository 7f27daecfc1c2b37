// A snapshot of the endpoints against a table: what stays, what comes, what goes, and what happens
// where the same snapshot, an older one or one in another order comes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PodTable } from '#src/activator/table/table.ts';
import type { PodTarget } from '#src/activator/table/types.ts';
import { giveBack, now, podAt, podsAt, tableOf, takeAll } from './support.ts';

const counts = { kept: 0, added: 0, removed: 0, draining: 0, promoted: 0, demoted: 0, blocked: 0 };

describe('A snapshot', () => {
  it('adds, keeps and removes in place, and says how many', () => {
    const table = tableOf(6, { policy: 'first-available' });
    expect(takeAll(table, 2)).toEqual([0, 1]);
    table.put(podAt(4, 'not-ready'), now);
    const pods = [podAt(1), podAt(2, 'not-ready'), podAt(4), podAt(3), podAt(7), podAt(8)];
    expect(table.recalculate(pods, 1, now)).toEqual({
      ...counts,
      kept: 4,
      added: 2,
      removed: 1,
      draining: 1,
      promoted: 1,
      demoted: 1,
    });
    expect(table.snapshot().map(({ id, state, inFlight }) => [id, state, inFlight])).toEqual([
      ['pod-0', 'draining', 1],
      ['pod-1', 'ready', 1],
      ['pod-2', 'not-ready', 0],
      ['pod-3', 'ready', 0],
      ['pod-4', 'ready', 0],
      ['pod-7', 'ready', 0],
      ['pod-8', 'ready', 0],
    ]);
    expect(table.audit()).toEqual([]);
  });

  it('that is there already changes nothing (T-9)', () => {
    const table = tableOf(50, { limit: 2 });
    takeAll(table, 30);
    const before = { pods: table.snapshot(), figures: table.figures };
    expect(table.recalculate(podsAt(50).toReversed(), 1, now)).toEqual({ ...counts, kept: 50 });
    expect({ pods: table.snapshot(), figures: table.figures }).toEqual(before);
  });

  it('that is older than the last one is left alone (I-16)', () => {
    const table = tableOf(3);
    expect(table.recalculate(podsAt(3), 7, now)).toMatchObject({ kept: 3 });
    expect(table.recalculate([], 6, now)).toBeUndefined();
    expect(table.figures.live).toBe(3);
    expect(table.version).toBe(7);
    expect(table.recalculate(podsAt(2), 7, now)).toMatchObject({ removed: 1 });
    expect(() => table.recalculate([], Number.NaN, now)).toThrow('version must be a number');
  });

  it('replaces a pod of which the address has another one, when its requests have ended', () => {
    const table = tableOf(2, { policy: 'first-available' });
    const index = table.slots.take();
    const others = podsAt(2).map(
      ({ dest }) => ({ dest, id: `new-${dest}`, state: 'ready' }) as const,
    );
    expect(table.recalculate(others, 1, now)).toEqual({
      ...counts,
      added: 1,
      removed: 1,
      draining: 1,
      blocked: 1,
    });
    expect(table.snapshot().map(({ id, state }) => [id, state])).toEqual([
      ['pod-0', 'draining'],
      ['new-10.0.0.1:8012', 'ready'],
    ]);
    giveBack(table, index);
    expect(table.recalculate(others, 2, now)).toEqual({ ...counts, kept: 1, added: 1 });
  });

  it('ends the drain of a pod that is listed again (2.6.2)', () => {
    const table = tableOf(1);
    table.slots.take();
    expect(table.recalculate([], 1, now)).toMatchObject({ draining: 1 });
    expect(table.recalculate(podsAt(1), 2, now)).toMatchObject({ kept: 1, promoted: 1 });
    giveBack(table, 0);
    expect(table.figures).toMatchObject({ live: 1, draining: 0, available: 1 });
  });

  it('of an address with two entries takes the first one', () => {
    const table = tableOf(0);
    const [first, second] = [podAt(0), { ...podAt(0), id: 'another' }];
    table.recalculate([first, second], 1, now);
    expect(table.snapshot().map(({ id }) => id)).toEqual([first.id]);
    expect(table.recalculate([first, second], 2, now)).toEqual({ ...counts, kept: 1 });
    table.recalculate([second, first], 3, now);
    expect(table.snapshot().map(({ id }) => id)).toEqual([second.id]);
  });

  it('with more pods than slots leaves some out, and has them later', () => {
    const table = tableOf(0, { maxScale: 1, maxSlots: 4 });
    expect(table.recalculate(podsAt(6), 1, now)).toMatchObject({ added: 4, blocked: 2 });
    expect(table.recalculate(podsAt(6).slice(2), 2, now)).toMatchObject({ kept: 2, added: 2 });
    expect(table.audit()).toEqual([]);
  });

  it('that is the same costs no memory that grows with the pods (R-20)', () => {
    const pods = podsAt(5_000);
    const table = tableOf(5_000, { limit: 0 });
    // Garbage may be collected meanwhile; whether it is compiled yet is all the same.
    const bytes = Array.from({ length: 20 }, (_, version) => {
      const before = process.memoryUsage().heapUsed;
      table.recalculate(pods, version, now);
      return process.memoryUsage().heapUsed - before;
    });
    const [least = 0] = bytes.filter((one) => one >= 0).toSorted((a, b) => a - b);
    expect(least).toBeLessThan(64 * 1_024);
  });
});

describe('Snapshots', () => {
  const target: fc.Arbitrary<PodTarget> = fc
    .tuple(fc.nat({ max: 30 }), fc.constantFrom('ready', 'not-ready', 'recovering'))
    .map(([place, state]) => podAt(place, state));
  const snapshot = fc.uniqueArray(target, { selector: ({ dest }) => dest, maxLength: 31 });
  /** A table with requests on its pods. */
  const start = fc.tuple(snapshot, fc.nat({ max: 40 }));

  function started([pods, requests]: readonly [readonly PodTarget[], number]): PodTable {
    const table = new PodTable({ limit: 3, seed: 5, policy: 'random' });
    table.recalculate(pods, 0, now);
    takeAll(table, requests);
    return table;
  }

  /** What is there, without where it is. */
  const content = (table: PodTable): readonly string[] =>
    table
      .snapshot()
      .map(({ dest, id, state, inFlight }) => `${dest} ${id} ${state} ${inFlight}`)
      .toSorted();

  it('that come twice are as one, and a survivor keeps its slot and its requests (P-3)', () => {
    fc.assert(
      fc.property(start, snapshot, snapshot, (start, first, second) => {
        const [table, direct] = [started(start), started(start)];
        table.recalculate(first, 1, now);
        const once = table.snapshot();
        table.recalculate(first, 2, now);
        expect(table.snapshot()).toEqual(once);
        table.recalculate(second, 3, now);
        for (const pod of once) {
          const after = table.snapshot().find(({ index }) => index === pod.index);
          if (after?.dest !== pod.dest) continue;
          expect(after).toMatchObject({ gen: pod.gen, inFlight: pod.inFlight });
        }
        direct.recalculate(second, 1, now);
        const there = (one: PodTable): readonly string[] =>
          one.snapshot().flatMap(({ dest, state }) => (state === 'draining' ? [] : [dest]));
        expect(there(table).toSorted()).toEqual(there(direct).toSorted());
        expect(table.audit()).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('come to the same in any order (P-4)', () => {
    const shuffled = snapshot.chain((pods) =>
      fc.tuple(
        fc.constant(pods),
        fc.shuffledSubarray(pods, { minLength: pods.length, maxLength: pods.length }),
      ),
    );
    fc.assert(
      fc.property(start, shuffled, (start, [pods, others]) => {
        const [table, another] = [started(start), started(start)];
        const places = new Map(table.snapshot().map(({ dest, index }) => [dest, index]));
        table.recalculate(pods, 1, now);
        another.recalculate(others, 1, now);
        expect(content(another)).toEqual(content(table));
        for (const { dest, index } of another.snapshot()) {
          expect(index).toBe(places.get(dest) ?? index);
        }
      }),
      { numRuns: 200 },
    );
  });
});
