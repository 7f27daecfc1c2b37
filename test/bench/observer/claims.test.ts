// What may be claimed of a cluster, and the messages between the benchmark and its observer.
import { describe, expect, test } from 'vitest';
import { counters, type Counts, holds, type Notice, readNotice, readOrder } from './claims.ts';

const none = Object.fromEntries(counters.map((counter) => [counter, 0])) as Counts;

describe('A claim', () => {
  test('holds when every bound holds at the same moment', () => {
    const claim = { podsAlive: { is: 2 }, podsReady: { least: 1 } };
    expect(holds(claim, { ...none, podsAlive: 2, podsReady: 2 })).toBe(true);
    expect(holds(claim, { ...none, podsAlive: 2 })).toBe(false);
    expect(holds(claim, { ...none, podsAlive: 3, podsReady: 3 })).toBe(false);
  });

  test('that something is gone holds at zero', () => {
    expect(holds({ setsAlive: { is: 0 } }, none)).toBe(true);
    expect(holds({ setsAlive: { is: 0 } }, { ...none, setsAlive: 1 })).toBe(false);
  });
});

describe('Messages', () => {
  const copy = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

  test('to the observer arrive as they were sent', () => {
    const order = {
      order: 'await',
      id: 3,
      claim: { podsEver: { least: 5 }, setsAlive: { is: 0 } },
    };
    expect(readOrder(copy(order))).toEqual(order);
    expect(readOrder(copy({ order: 'count', id: 0 }))).toEqual({ order: 'count', id: 0 });
  });

  test('from the observer arrive as they were sent', () => {
    const notices: readonly Notice[] = [
      { notice: 'synced' },
      { notice: 'met', id: 1, atMs: 12.5 },
      { notice: 'counted', id: 2, counts: { ...none, podsAlive: 4 } },
    ];
    expect(notices.map((notice) => readNotice(copy(notice)))).toEqual(notices);
  });

  test('that are none are told from those that are', () => {
    for (const message of [
      undefined,
      null,
      'await',
      { order: 'await' },
      { order: 'dance', id: 1 },
    ]) {
      expect(readOrder(message)).toBeUndefined();
      expect(readNotice(message)).toBeUndefined();
    }
  });
});
