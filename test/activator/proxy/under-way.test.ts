// The list of requests that are under way: who is in it, and that those that have left it are
// garbage at once.
import { describe, expect, it } from 'vitest';
import { RequestsUnderWay, type UnderWay } from '#src/activator/proxy/under-way.ts';
import { collectYoung } from '#test/activator/heap.ts';

const atOnce = 40;
const perRound = 200;
const bytesOfEach = 2_000;

/** With what it holds: an array of numbers, eight bytes each. */
const request = (): UnderWay & { readonly held: readonly number[] } => ({
  held: Array.from({ length: bytesOfEach / 8 }, () => 0.5),
  isUpgraded: false,
  leave: () => undefined,
  stop: () => undefined,
  earlier: undefined,
  later: undefined,
});

describe('Requests under way', () => {
  it('are those that were added and not removed, in the order in which they came', () => {
    const list = new RequestsUnderWay();
    const [a, b, c, d] = [request(), request(), request(), request()];
    for (const one of [a, b, c]) list.add(one);
    expect(list.all()).toEqual([a, b, c]);
    list.remove(b);
    expect(list.all()).toEqual([a, c]);
    list.remove(a);
    list.add(d);
    list.remove(c);
    expect([list.size, list.all()]).toEqual([1, [d]]);
    list.remove(d);
    expect([list.size, list.all()]).toEqual([0, []]);
    list.add(b);
    expect(list.all()).toEqual([b]);
  });

  it('are collected while they are young, however many come and go', () => {
    const list = new RequestsUnderWay();
    const here: UnderWay[] = [];
    const come = (rounds: number): void => {
      for (let round = 0; round < rounds; round++) {
        for (let count = 0; count < perRound; count++) {
          const one = request();
          list.add(one);
          here.push(one);
          const first = here.length > atOnce ? here.shift() : undefined;
          if (first !== undefined) list.remove(first);
        }
        collectYoung();
      }
    };
    come(1);
    // Whatever was there for two of them is old.
    for (let count = 0; count < 3; count++) collectYoung();
    const before = process.memoryUsage().heapUsed;
    come(30);
    // A twelfth of what was made; a Set, whose first table is old by then, keeps twice as much.
    const most = (30 * perRound * bytesOfEach) / 12;
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(most);
  });
});
