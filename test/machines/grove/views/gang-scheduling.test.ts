// Whether a base gang is scheduled: a value of its PodClique's scheduled pods alone, in any order.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gangScheduling, isScheduled } from '#machines/grove/views/gang-scheduling.ts';

type Part =
  Parameters<typeof gangScheduling.valueOf>[0] extends ReadonlyMap<string, infer P> ? P : never;

const gang = (...least: readonly [name: string, minReplicas: number][]): Part => ({
  of: 'gang',
  least: least.map(([name, minReplicas]) => ({ name, minReplicas })),
});
const clique = (name: string): Part => ({ of: 'clique', name, uid: `uid of ${name}` });
const pod = (of: string): Part => ({ of: 'pod', clique: `uid of ${of}` });
const short = (name: string, scheduled: number, least: number) => ({ name, scheduled, least });
const valueOf = (...parts: readonly Part[]) =>
  gangScheduling.valueOf(new Map(parts.map((part, index) => [String(index), part])));

describe('A base gang', () => {
  it('is scheduled when each of its PodCliques has its minimum of scheduled pods', () => {
    const base = [gang(['a', 2], ['b', 1]), clique('a'), clique('b'), pod('a'), pod('b')] as const;
    expect(valueOf(...base)).toEqual({ short: [short('a', 1, 2)], many: 2 });
    expect(valueOf(...base, pod('a'))).toEqual({ short: [], many: 2 });
  });

  it('is not where it is not there, or one of its PodCliques is not', () => {
    expect(valueOf(clique('a'), pod('a'))).toBeUndefined();
    expect(isScheduled(undefined)).toBe(false);
    expect(valueOf(gang(['a', 0]))).toEqual({ short: [short('a', 0, 0)], many: 1 });
    expect(valueOf(gang(['', 1]))).toEqual({ short: [short('', 0, 1)], many: 1 });
  });

  it('counts no pod of an earlier PodClique of the name', () => {
    const old: Part = { of: 'pod', clique: 'earlier' };
    expect(valueOf(gang(['a', 1]), clique('a'), old)).toEqual({
      short: [short('a', 0, 1)],
      many: 1,
    });
  });

  it('wakes who waits when that turns, and not at each step on the way', () => {
    const [none, some, all] = [
      { short: [short('a', 0, 1), short('b', 0, 1)], many: 2 },
      { short: [short('b', 0, 1)], many: 2 },
      { short: [], many: 2 },
    ];
    expect(gangScheduling.wakes?.(none, some)).toBe(false);
    expect(gangScheduling.wakes?.(undefined, none)).toBe(false);
    expect(gangScheduling.wakes?.(some, all)).toBe(true);
    expect(gangScheduling.wakes?.(all, undefined)).toBe(true);
  });

  it('stands the same whatever the order of what is known', () => {
    const parts = [
      gang(['a', 1], ['b', 2]),
      clique('a'),
      clique('b'),
      pod('a'),
      pod('b'),
      pod('b'),
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(parts, { minLength: parts.length }), (order) => {
        expect(valueOf(...order)).toEqual({ short: [], many: 2 });
      }),
    );
  });
});
