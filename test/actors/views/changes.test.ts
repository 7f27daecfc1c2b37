// Changes of a view: what counts as another value, whom it wakes and whom not, and what it says of
// where it came from.
import { describe, expect, it } from 'vitest';
import type { Cause } from '#actors/mail/causality.ts';
import { type Reader, Views } from '#actors/views/views.ts';
import { entry, type View } from '#machines/contract/view.ts';

const sum: View<number, number> = {
  name: 'sum',
  valueOf: (items) => [...items.values()].reduce((all, one) => all + one, 0),
  event: (key, value) => ({ type: 'sum.read', key, value }),
  say: (value) => `${value}`,
};

const because = (id: string): Cause => ({ id, trace: `trace of ${id}` });

function scene(view: View<number, number> = sum) {
  const counts = { wakes: 0 };
  const views = new Views<Reader>(() => void counts.wakes++);
  const me: Reader = { id: 'me', reads: new Map() };
  const other: Reader = { id: 'other', reads: new Map() };
  const read = (reader = me, ...keys: readonly string[]): readonly unknown[] =>
    views.follow(
      reader,
      keys.map((key) => ({ view: view as View, key })),
    );
  const put = (source: string, items: Readonly<Record<string, number>>, cause = because(source)) =>
    views.put(
      source,
      Object.entries(items).map(([key, item]) => entry(view, key, item)),
      cause,
    );
  const changes = () =>
    views
      .changes()
      .map(({ id, key, value, cause, readers }) => [
        ...[id, key, value, cause.id],
        readers.map((reader) => reader.id).join(),
      ]);
  const publish = (actor: string, key: string, item: number | undefined) =>
    views.publish(actor, { view, key, item }, because(actor));
  return { views, me, other, read, put, changes, publish, counts };
}

const event = (key: string, value: number | undefined) => ({ type: 'sum.read', key, value });

describe('A change', () => {
  it('names its place, its value, all who read it, and what led to it last', () => {
    const { me, other, read, put, changes } = scene();
    read(me, 'a');
    read(other, 'a', 'b');
    put('x', { a: 1 });
    put('y', { a: 2 });
    put('x', { a: 1 }, because('an echo'));
    expect(changes()).toEqual([['sum\na', 'a', 3, 'y', 'me,other']]);
    put('y', {}, because('the end'));
    expect(changes()).toEqual([['sum\na', 'a', 1, 'the end', 'me,other']]);
  });

  it('is there until it is collected, and wakes once for each', () => {
    const { views, me, read, put, changes, counts } = scene();
    put('x', { a: 1 });
    expect([views.hasChanges, counts.wakes]).toEqual([false, 0]);
    read(me, 'a');
    expect([views.hasChanges, counts.wakes]).toEqual([false, 0]);
    put('x', { b: 1, a: 1 });
    expect([views.hasChanges, counts.wakes]).toEqual([false, 0]);
    put('x', { a: 2 });
    expect(views.hasChanges).toBe(true);
    expect(counts.wakes).toBeGreaterThan(0);
    expect(changes()).toHaveLength(1);
    expect(views.hasChanges).toBe(false);
  });

  it('that one reader meets at its reconcile is still told to the others', () => {
    const { views, me, other, read, put, changes, counts } = scene();
    put('x', { a: 1 });
    read(me, 'a');
    read(other, 'a');
    put('x', { a: 2 });
    const before = counts.wakes;
    expect(read(me, 'a')).toEqual([event('a', 2)]);
    expect(counts.wakes).toBe(before + 1);
    expect([views.hasChanges, changes().length]).toEqual([true, 1]);
    expect(read(other, 'a')).toEqual([event('a', 2)]);
  });

  it('is gone with the last who read it, and the next one finds the value anew', () => {
    const { views, me, other, read, put, changes } = scene();
    read(me, 'a');
    read(other, 'a');
    put('x', { a: 2 });
    read(me);
    expect(views.hasChanges).toBe(true);
    read(other);
    expect([views.hasChanges, changes()]).toEqual([false, []]);
    expect(read(other, 'a')).toEqual([event('a', 2)]);
    put('x', { a: 3 });
    read(me, 'a');
    views.end(other, because('its end'));
    views.end(me, because('its end'));
    expect([views.hasChanges, changes()]).toEqual([false, []]);
    put('x', { a: 4 });
    expect(read(me, 'a')).toEqual([event('a', 4)]);
  });

  it('is none where the view takes both values for the same, and is not asked about nothing', () => {
    const asked: unknown[] = [];
    const isSame = (one: number, two: number): boolean => {
      asked.push([one, two]);
      return Math.abs(one - two) < 5;
    };
    const { me, read, put, changes } = scene({ ...sum, isSame });
    read(me, 'a');
    put('x', { a: 1 });
    expect(changes()).toHaveLength(1);
    put('x', { a: 4 });
    expect(changes()).toEqual([]);
    expect(read(me, 'a')).toEqual([event('a', 1)]);
    put('x', { a: 7 });
    expect(changes()).toHaveLength(1);
    put('x', {});
    expect(changes()).toMatchObject([['sum\na', 'a', undefined, 'x', 'me']]);
    expect(asked).toEqual([
      [1, 4],
      [1, 7],
    ]);
  });

  it('is none where the view takes both items for the same', () => {
    const asked: unknown[] = [];
    const isSameItem = (one: number, two: number): boolean => {
      asked.push([one, two]);
      return one === two || two === 9;
    };
    const { me, read, put, changes } = scene({ ...sum, isSameItem });
    read(me, 'a');
    put('x', { a: 1 });
    put('x', { a: 9 });
    expect(changes()).toMatchObject([['sum\na', 'a', 1, 'x', 'me']]);
    expect(asked).toEqual([[1, 9]]);
  });

  it('wakes nobody where the view says so, and is read all the same', () => {
    const asked: unknown[] = [];
    const wakes = (before: number | undefined, now: number | undefined): boolean => {
      asked.push([before, now]);
      return now !== 2;
    };
    const { views, me, read, put, changes } = scene({ ...sum, wakes });
    read(me, 'a');
    put('x', { a: 1 });
    expect(changes()).toHaveLength(1);
    put('x', { a: 2 });
    expect([changes(), views.hasChanges]).toEqual([[], false]);
    expect(asked).toEqual([
      [undefined, 1],
      [1, 2],
    ]);
    expect(read(me, 'a')).toEqual([event('a', 2)]);
  });

  it('drops where an object is no more, and keeps where it still is', () => {
    const { me, read, put } = scene();
    put('x', { a: 1, b: 2 });
    put('y', { a: 4 });
    read(me, 'a', 'b', 'c');
    put('x', { b: 2, c: 3 });
    expect(read(me, 'a', 'b', 'c')).toEqual([event('a', 4), event('c', 3)]);
    put('x', {});
    put('x', {});
    expect(read(me, 'a', 'b', 'c')).toEqual([event('b', undefined), event('c', undefined)]);
  });

  it('drops what an actor published, place by place or at once', () => {
    const { views, me, read, publish } = scene();
    publish('p', 'a', 1);
    publish('p', 'b', 2);
    publish('q', 'a', 4);
    read(me, 'a', 'b');
    publish('p', 'b', undefined);
    publish('q', 'b', undefined);
    expect(read(me, 'a', 'b')).toEqual([event('b', undefined)]);
    publish('p', 'b', 8);
    views.withdraw('p', because('its park'));
    expect(read(me, 'a', 'b')).toEqual([event('a', 4)]);
    views.withdraw('p', because('its park'));
    publish('p', 'a', undefined);
    expect(read(me, 'a', 'b')).toEqual([]);
  });

  it('tells of each place once, also of what is read no more', () => {
    const { me, read, put } = scene();
    put('x', { a: 1 });
    expect(read(me, 'a', 'b')).toEqual([event('a', 1)]);
    expect(read(me)).toEqual([event('a', undefined)]);
    expect(read(me)).toEqual([]);
    expect([...me.reads.keys()]).toEqual([]);
  });
});
