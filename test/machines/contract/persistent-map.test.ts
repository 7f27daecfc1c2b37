// The map for large contexts: it reads like a Map that was copied before each change, whichever
// versions are read in whichever order, and keeps nothing of what is gone.
import { queryObjects } from 'node:v8';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PersistentMap } from '#machines/contract/persistent-map.ts';
import { Version } from '#machines/contract/versions.ts';
import { amountOf } from '#test/support/optional.mjs';

const histories = Number(process.env['COPPICE_HISTORIES'] ?? amountOf('random histories'));

const abc = PersistentMap.of([
  ['a', 1],
  ['b', 2],
  ['c', 3],
]);

describe('A PersistentMap', () => {
  it('is empty at first, and has what was set', () => {
    expect(PersistentMap.of().size).toBe(0);
    expect([...PersistentMap.of()]).toEqual([]);
    expect([abc.size, abc.get('b'), abc.has('c')]).toEqual([3, 2, true]);
    expect([abc.get('d'), abc.has('d')]).toEqual([undefined, false]);
  });

  it('keeps the place of a key that is set again, as a Map does', () => {
    expect(abc.set('a', 4).entries()).toEqual([
      ['a', 4],
      ['b', 2],
      ['c', 3],
    ]);
    expect(abc.delete('a').set('a', 4).keys()).toEqual(['b', 'c', 'a']);
    expect(abc.delete('a').set('a', 4).values()).toEqual([2, 3, 4]);
  });

  it('is the very same where nothing changes', () => {
    expect(abc.set('a', 1)).toBe(abc);
    expect(abc.delete('d')).toBe(abc);
  });

  it('has its keys in the order of before, once what was deleted is back', () => {
    const discarded = abc.delete('a').delete('b').set('d', 4);
    expect(abc.keys()).toEqual(['a', 'b', 'c']);
    expect(discarded.keys()).toEqual(['c', 'd']);
    expect(abc.set('e', 5).keys()).toEqual(['a', 'b', 'c', 'e']);
  });

  it('may be changed by who iterates over it', () => {
    let rest = abc;
    const seen: string[] = [];
    for (const [key] of abc) {
      seen.push(key);
      rest = rest.delete(key);
    }
    expect([seen, rest.size, abc.size]).toEqual([['a', 'b', 'c'], 0, 3]);
  });

  it('equals another one by entries and their order', () => {
    expect(abc.delete('c').set('c', 3)).toEqual(abc);
    expect(abc.set('c', 4)).not.toEqual(abc);
    expect(abc.delete('a').set('a', 1)).not.toEqual(abc);
    expect({ members: abc.delete('c') }).not.toEqual({ members: abc });
  });

  it('has nothing in common with others that began with the same empty one', () => {
    const empty = PersistentMap.of<string, number>();
    const [one, other] = [empty.set('a', 1), empty.set('b', 2)];
    expect([one.keys(), other.keys(), empty.keys()]).toEqual([['a'], ['b'], []]);
  });

  it('reads a version from 200,000 changes ago, without a stack that overflows', () => {
    let map = abc;
    for (let round = 0; round < 200_000; round++) map = map.set('b', round + 10);
    expect([abc.get('b'), map.get('b'), abc.get('b')]).toEqual([2, 200_009, 2]);
  });

  it('keeps no version, and no value, that nobody else keeps', () => {
    class Value {
      readonly isKept = true;
    }
    const versions = queryObjects(Version, { format: 'count' });
    let map = PersistentMap.of<number, Value>();
    for (let round = 0; round < 20_000; round++) {
      map = map
        .set(round, new Value())
        .set(round, new Value())
        .delete(round - 10);
    }
    expect(map.size).toBe(10);
    expect(queryObjects(Value, { format: 'count' })).toBeLessThan(20);
    expect(queryObjects(Version, { format: 'count' }) - versions).toBeLessThan(10);
  });

  it('equals, in each version at any time, a Map that was copied', () => {
    const key = fc.nat({ max: 6 });
    const act = fc.record({ from: fc.nat(), key, value: fc.option(fc.nat({ max: 3 })) });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60, size: 'max' }), (acts) => {
        const versions = [{ map: PersistentMap.of<number, number>(), model: new Map() }];
        for (const { from, key, value } of acts) {
          // Mostly the newest is changed, at times any of the others.
          const at = from % 3 === 0 ? from % versions.length : versions.length - 1;
          const { map, model } = versions[at] ?? { map: PersistentMap.of(), model: new Map() };
          const changed = new Map(model);
          if (value === null) changed.delete(key);
          else changed.set(key, value);
          const next = value === null ? map.delete(key) : map.set(key, value);
          versions.push({ map: next, model: changed });
          const read = versions[from % versions.length];
          expect(read?.map.entries()).toEqual([...(read?.model ?? [])]);
          expect([next.size, next.get(key)]).toEqual([changed.size, changed.get(key)]);
        }
      }),
      { numRuns: histories },
    );
  });
});
