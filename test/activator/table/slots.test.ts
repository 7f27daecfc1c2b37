// Where pods are in a table, when its high-water mark falls, and what is left of a pod that has
// gone. Longer histories: COPPICE_STEPS=1000000.
import { describe, expect, it } from 'vitest';
import { Bitmap } from '#src/activator/table/bitmap.ts';
import { Random } from '#src/activator/table/random.ts';
import { PodTable } from '#src/activator/table/table.ts';
import type { ReleasedPod } from '#src/activator/table/types.ts';
import { trimExamples } from './examples.ts';
import { giveBack, now, podAt, podsAt, removeAt, tableOf, takeAll } from './support.ts';

const steps = Number(process.env['COPPICE_STEPS'] ?? 20_000);

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, place) => from + place);

const highWaterOf = (table: PodTable): number => table.figures.highWater;

describe('Trailing holes', () => {
  it.each(trimExamples)('$start, then release $release (R-7, R-13)', (example) => {
    const table = tableOf(example.pods);
    for (const { places, highWater } of example.releases) {
      removeAt(table, ...places);
      expect(highWaterOf(table)).toBe(highWater);
    }
  });

  it('are kept up to half of the slots after a scale to 10 of 1,000 (R-7)', () => {
    const [fromBack, fromFront, atEnd] = [tableOf(1_000), tableOf(1_000), tableOf(1_000)];
    removeAt(fromBack, ...range(10, 1_000).toReversed());
    expect(highWaterOf(fromBack)).toBe(14);
    removeAt(fromFront, ...range(10, 1_000));
    expect(highWaterOf(fromFront)).toBe(10);
    removeAt(atEnd, ...range(0, 990));
    expect(highWaterOf(atEnd)).toBe(1_000);
    removeAt(atEnd, ...range(990, 1_000));
    expect(highWaterOf(atEnd)).toBe(0);
  });

  it.each([
    [0.25, 7],
    [0.5, 4],
    [0.75, 2],
    [1, 10],
  ])('go by the threshold %d of the options (R-12)', (trimThreshold, highWater) => {
    const table = tableOf(10, { trimThreshold });
    const marks = range(2, 10)
      .toReversed()
      .map((place) => {
        removeAt(table, place);
        return highWaterOf(table);
      });
    expect(marks.find((mark) => mark < 10) ?? 10).toBe(highWater);
  });

  it('cost a look at no more than four slots for each operation (R-6, B-8)', () => {
    const table = tableOf(0, { maxScale: 500 });
    const random = new Random(3);
    const there = new Set<number>();
    for (let step = 0; step < steps; step++) {
      // Waves: the table fills and empties.
      const isFilling = Math.floor(step / 2_000) % 2 === 0;
      const place = random.below(500);
      if (there.has(place) !== isFilling) {
        if (isFilling) table.put(podAt(place), now);
        else removeAt(table, place);
        if (isFilling) there.add(place);
        else there.delete(place);
      }
    }
    expect(table.figures.trimVisits).toBeLessThanOrEqual(4 * steps);
    expect(table.figures.trimVisits).toBeGreaterThan(0);
  });
});

describe('A new pod', () => {
  it('takes the lowest hole, and the slot after the last one where there is none', () => {
    const table = tableOf(10);
    removeAt(table, 0, 1, 2, 3, 4, 5);
    expect(highWaterOf(table)).toBe(10);
    for (const place of [20, 21, 22]) table.put(podAt(place), now);
    expect(table.snapshot().map(({ index, id }) => [index, id])).toEqual([
      [0, 'pod-20'],
      [1, 'pod-21'],
      [2, 'pod-22'],
      ...range(6, 10).map((place) => [place, `pod-${place}`]),
    ]);
    expect(highWaterOf(table)).toBe(10);
  });

  it('finds a slot beyond the plan, up to the most that there may be (R-2, T-3)', () => {
    const table = tableOf(0, { maxScale: 2, maxSlots: 10 });
    expect(table.figures.slots).toBe(4);
    expect(podsAt(11).map((pod) => table.put(pod, now))).toEqual([
      ...Array(10).fill('added'),
      'full',
    ]);
    expect(table.figures).toMatchObject({ slots: 10, highWater: 10, grown: 2, full: 1 });
    removeAt(table, 4);
    expect(table.put(podAt(10), now)).toBe('added');
    expect(table.audit()).toEqual([]);
  });

  it('waits while another one of its address drains (one pod at each address)', () => {
    const table = tableOf(1);
    const next = { ...podAt(0), id: 'pod-0-again' };
    const index = table.slots.take();
    removeAt(table, 0);
    expect(table.put(next, now)).toBe('occupied');
    giveBack(table, index);
    expect(table.put(next, now)).toBe('added');
    expect(table.genOf(index)).toBe(3);
  });

  it.each([
    [{ ...podAt(0), dest: '' }, 'dest of a pod must be its ip:port, not empty'],
    [
      { ...podAt(0), id: '' },
      'id of the pod at 10.0.0.0:8012 must tell it from others, not be empty',
    ],
    [
      { ...podAt(0), state: 'draining' as 'ready' },
      'state of the pod at 10.0.0.0:8012 must be one of not-ready, ready, recovering, not "draining"',
    ],
  ])('is refused where it is none: %j', (pod, sentence) => {
    const table = tableOf(2);
    expect(() => table.put(pod, now)).toThrow(sentence);
    expect(() => table.recalculate([podAt(5), pod], 1, now)).toThrow(sentence);
    expect(table.figures).toMatchObject({ live: 2 });
    expect(table.version).toBe(Number.NEGATIVE_INFINITY);
  });
});

describe('A request', () => {
  it('that ends after its pod was released by force leaves the next pod of the slot alone (R-1)', () => {
    const released: ReleasedPod[] = [];
    const table = tableOf(1, { limit: 5, onReleased: (pod) => released.push(pod) });
    const index = table.slots.take();
    const [gen, id] = [table.genOf(index), table.idOf(index)];
    removeAt(table, 0);
    expect(table.releaseDrained(now)).toBe(1);
    expect(released).toEqual([
      { dest: podAt(0).dest, id: 'pod-0', cause: 'deadline', detached: 1 },
    ]);
    table.put(podAt(7), now);
    expect(table.slots.take()).toBe(index);
    const before = table.snapshot();
    expect(table.figures).toMatchObject({ active: 2, detached: 1, stale: 0 });
    table.slots.giveBack(index, gen);
    expect(table.snapshot()).toEqual(before);
    expect(table.figures).toMatchObject({ active: 1, detached: 0, stale: 1 });
    expect(id).toBe('pod-0');
  });

  it('is not completed twice where nobody else has a permit (H-8)', () => {
    const table = tableOf(1);
    const index = table.slots.take();
    giveBack(table, index);
    expect(() => giveBack(table, index)).toThrow('slot 0 has no request that could be completed');
    expect(table.audit()).toEqual([]);
  });

  it('that is the last one of a draining pod releases it in the same turn (R-4)', () => {
    const released: string[] = [];
    const table = tableOf(5, { onReleased: ({ id, cause }) => released.push(`${id} ${cause}`) });
    takeAll(table, 5);
    removeAt(table, 0, 1, 2, 3, 4);
    expect(table.figures).toMatchObject({ live: 5, draining: 5, routable: 0 });
    for (const index of range(0, 5)) giveBack(table, index);
    expect(released).toEqual(range(0, 5).map((place) => `pod-${place} drained`));
    expect(table.figures).toMatchObject({ live: 0, highWater: 0, active: 0 });
  });
});

describe('A pod that is not ready', () => {
  it('for longer than allowed is removed where it has no request (P-20)', () => {
    const table = tableOf(0, { limit: 2, policy: 'first-available' });
    for (const place of [0, 1, 2, 3]) table.put(podAt(place), 100 as typeof now);
    expect(table.slots.take()).toBe(0);
    table.put(podAt(0, 'not-ready'), 200 as typeof now);
    table.put(podAt(1, 'not-ready'), 200 as typeof now);
    table.put(podAt(2, 'not-ready'), 201 as typeof now);
    expect(table.removeStale(201 as typeof now)).toBe(1);
    expect(table.snapshot().map(({ id }) => id)).toEqual(['pod-0', 'pod-2', 'pod-3']);
  });
});

describe('A set of slots', () => {
  it('finds its lowest and its next member like one that looks at each (R-5)', () => {
    const length = 3_000;
    const bitmap = new Bitmap();
    bitmap.resize(length);
    const naive = new Set<number>();
    const random = new Random(11);
    const next = (from: number): number => {
      for (let index = from; index < length; index++) if (naive.has(index)) return index;
      return -1;
    };
    for (let step = 0; step < steps / 4; step++) {
      // Sparse and dense by turns.
      const index = random.below(length);
      if (random.below(1_000) < 500 + 400 * Math.sin(step / 500)) {
        bitmap.add(index);
        naive.add(index);
      } else {
        bitmap.remove(index);
        naive.delete(index);
      }
      const from = random.below(length + 1);
      expect([bitmap.first(), bitmap.next(from)]).toEqual([next(0), next(from)]);
    }
    expect(bitmap.members()).toEqual([...naive].toSorted((a, b) => a - b));
  });
});
