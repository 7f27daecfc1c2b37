// Views: items under keys by where they come from, values that are found anew where an item
// changed, and who hears of it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noCause } from '#actors/mail/causality.ts';
import { Views } from '#actors/views/views.ts';
import type { Reader } from '#actors/views/views.ts';
import { entry, single } from '#machines/contract/view.ts';
import type { View } from '#machines/contract/view.ts';
import { at } from '#machines/kubernetes/json.ts';

const sum: View<number, number> = {
  name: 'sum',
  valueOf: (items) => [...items.values()].reduce((all, one) => all + one, 0),
  event: (key, value) => ({ type: 'sum.read', key, value }),
  say: (value) => `${value}`,
};

const one = single<string>({
  name: 'one',
  event: (key, value) => ({ type: 'one.read', key, value }),
  say: (value) => value,
});

const reader = (id: string): Reader => ({ id, reads: new Map() });

const reading = (key: string, view: View<never, never> | View = sum) => ({
  view: view === one ? one : sum,
  key,
});

function fresh() {
  let wakes = 0;
  const views = new Views<Reader>(() => {
    wakes++;
  });
  return {
    views,
    wakes: () => wakes,
    put: (source: string, ...items: readonly [key: string, item: number][]) =>
      views.put(
        source,
        items.map(([key, item]) => entry(sum, key, item)),
        noCause,
      ),
    /** Readers by what changed. */
    changed: () =>
      views.changes().map(({ key, value, readers }) => [key, value, readers.map(({ id }) => id)]),
  };
}

describe('A view', () => {
  it('adds up the items of all sources, and is nothing where there is none', () => {
    const { views, put } = fresh();
    const me = reader('me');
    expect(views.follow(me, [reading('a')])).toEqual([]);
    put('x', ['a', 1], ['b', 5]);
    put('y', ['a', 2]);
    expect(views.follow(me, [reading('a')])).toEqual([{ type: 'sum.read', key: 'a', value: 3 }]);
    put('x');
    put('y');
    expect(views.follow(me, [reading('a')])).toEqual([
      { type: 'sum.read', key: 'a', value: undefined },
    ]);
  });

  it('wakes those who read the key, once, and nobody where nothing is new', () => {
    const { views, put, changed, wakes } = fresh();
    const [me, other] = [reader('me'), reader('other')];
    views.follow(me, [reading('a')]);
    views.follow(other, [reading('b')]);
    put('x', ['a', 1]);
    put('y', ['a', 1]);
    expect(wakes()).toBeGreaterThan(0);
    expect(changed()).toEqual([['a', 2, ['me']]]);
    put('x', ['a', 1]);
    expect(changed()).toEqual([]);
    // Another pair of items with the same sum.
    put('x', ['a', 2]);
    put('y');
    expect(changed()).toEqual([]);
  });

  it('hands over what is read no more first, and wakes for that no more', () => {
    const { views, put, changed } = fresh();
    const me = reader('me');
    put('x', ['a', 1], ['b', 2]);
    views.follow(me, [reading('a')]);
    expect(views.follow(me, [reading('b')])).toEqual([
      { type: 'sum.read', key: 'a', value: undefined },
      { type: 'sum.read', key: 'b', value: 2 },
    ]);
    put('x', ['a', 7], ['b', 2]);
    expect(changed()).toEqual([]);
  });

  it('is handed over whole again to whoever starts anew', () => {
    const { views, put } = fresh();
    const me = reader('me');
    put('x', ['a', 1]);
    views.follow(me, [reading('a')]);
    expect(views.follow(me, [reading('a')])).toEqual([]);
    views.forget(me);
    expect(views.follow(me, [reading('a')])).toEqual([{ type: 'sum.read', key: 'a', value: 1 }]);
  });

  it('holds what an actor publishes until that says another, or ends', () => {
    const { views, changed } = fresh();
    const [me, publisher] = [reader('me'), reader('publisher')];
    views.follow(me, [reading('a', one)]);
    const publish = (item: string | undefined) =>
      views.publish(publisher.id, { view: one, key: 'a', item }, noCause);
    publish('first');
    publish('first');
    expect(changed()).toEqual([['a', 'first', ['me']]]);
    publish('second');
    expect(changed()).toEqual([['a', 'second', ['me']]]);
    publish(undefined);
    publish(undefined);
    expect(changed()).toEqual([['a', undefined, ['me']]]);
    publish('third');
    views.end(publisher, noCause);
    expect(views.follow(me, [reading('a', one)])).toEqual([]);
  });

  it('that throws is met by whoever reads it, and keeps no other change from its readers', () => {
    const { views, put, changed } = fresh();
    const odd: View<number, number> = {
      ...sum,
      name: 'odd',
      valueOf: () => {
        throw new Error('odd');
      },
    };
    const [me, other] = [reader('me'), reader('other')];
    const mine = [{ view: odd, key: 'a' }];
    views.follow(me, mine);
    views.follow(other, [reading('b')]);
    views.put('x', [entry(odd, 'a', 1)], noCause);
    put('y', ['b', 2]);
    expect(changed().map(([key, , readers]) => [key, readers])).toEqual([
      ['b', ['other']],
      ['a', ['me']],
    ]);
    expect(() => views.follow(me, mine)).toThrow('odd');
    expect(() => views.follow(me, mine)).toThrow('odd');
  });

  it('costs what is published, not what was published before', () => {
    const { views } = fresh();
    let compared = 0;
    const counted: View<number, number> = {
      ...sum,
      isSameItem: (a, b) => {
        compared++;
        return a === b;
      },
    };
    for (let item = 0; item < 1_000; item++) {
      for (const value of [item, item + 1]) {
        views.publish('set', { view: counted, key: `${item}`, item: value }, noCause);
      }
    }
    expect(compared).toBe(1_000);
  });

  it('ends for every reader as all items are, for any items, readings and ends', () => {
    const key = fc.constantFrom('a', 'b', 'c');
    const source = fc.constantFrom('x', 'y', 'z');
    const step = fc.oneof(
      fc.record({ source, items: fc.dictionary(key, fc.nat(2)) }),
      fc.record({ reader: fc.nat(2), keys: fc.uniqueArray(key) }),
      fc.record({ ends: fc.nat(2) }),
      fc.constant('collect' as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { views, put } = fresh();
        const all = ['1', '2', '3'].map(reader);
        const seen = all.map(() => new Map<string, unknown>());
        const said = new Map<string, Readonly<Record<string, number>>>();
        const look = (index: number, keys: readonly string[]): void => {
          const actor = all[index];
          if (actor === undefined) return;
          for (const event of views.follow(
            actor,
            keys.map((one) => reading(one)),
          )) {
            seen[index]?.set(String(at(event, 'key')), at(event, 'value'));
          }
          const totals = keys.map((one) => {
            const items = [...said.values()].flatMap((items) => (one in items ? [items[one]] : []));
            return items.length === 0 ? undefined : items.reduce((a = 0, b = 0) => a + b, 0);
          });
          expect(keys.map((one) => seen[index]?.get(one))).toEqual(totals);
        };
        const readings = all.map((): readonly string[] => []);
        for (const each of steps) {
          if (each === 'collect') {
            for (const { key: of, readers } of views.changes()) {
              expect(readers.every(({ id }) => readings[Number(id) - 1]?.includes(of))).toBe(true);
            }
          } else if ('items' in each) {
            said.set(each.source, each.items);
            put(each.source, ...Object.entries(each.items));
          } else if ('keys' in each) {
            readings[each.reader] = each.keys;
            look(each.reader, each.keys);
          } else {
            const actor = all[each.ends];
            if (actor !== undefined) views.end(actor, noCause);
            readings[each.ends] = [];
            seen[each.ends]?.clear();
          }
        }
        readings.forEach((keys, index) => look(index, keys));
      }),
    );
  });
});
