// The store by property: whatever is written, an old list, the log and the present agree.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyOf } from '#src/devcluster/api/store/collection.ts';
import type { Collection } from '#src/devcluster/api/store/collection.ts';
import { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';

const step = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'b-1'),
  namespace: fc.constantFrom('x', 'x-1', 'y'),
  act: fc.constantFrom('put', 'put', 'remove'),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const object = (namespace: string, name: string): Stored => ({ metadata: { namespace, name } });

function perform(store: Store, collection: Collection, { namespace, name, act }: Step): void {
  const live = collection.get(namespace, name);
  if (act === 'put') store.put(collection, object(namespace, name), live);
  else if (live !== undefined) store.remove(collection, live);
}

const show = (objects: readonly Stored[]): string[] =>
  objects.map((each) => `${keyOf(each)}@${String(each.metadata['resourceVersion'])}`);

describe('the store', () => {
  test('shows every version as it was, sorted by key', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const store = new Store();
        const collection = store.collection('/things');
        const history = new Map<number, string[]>();
        for (const each of steps) {
          perform(store, collection, each);
          history.set(store.version, show(collection.list()));
        }
        for (const [version, shown] of history) {
          expect(show(collection.listAt(version) ?? [])).toEqual(shown);
          const keys = shown.map((each) => each.split('@')[0] ?? '');
          expect(keys).toEqual(keys.toSorted());
        }
      }),
    );
  });

  test('tells changes after any version that lead to the present', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.nat(40), (steps, cut) => {
        const store = new Store();
        const collection = store.collection('/things');
        const versions = [store.version];
        for (const each of steps) {
          perform(store, collection, each);
          versions.push(store.version);
        }
        const from = versions[Math.min(cut, versions.length - 1)] ?? 0;
        const state = new Map((collection.listAt(from) ?? []).map((each) => [keyOf(each), each]));
        for (const change of collection.changesAfter(from) ?? []) {
          if (change.type === 'DELETED') state.delete(keyOf(change.object));
          else state.set(keyOf(change.object), change.object);
        }
        expect(show([...state.values()]).toSorted()).toEqual(show(collection.list()).toSorted());
      }),
    );
  });

  test('refuses a write that names another object than the stored one', () => {
    const store = new Store();
    const collection = store.collection('/things');
    const first = object('x', 'a');
    expect(store.put(collection, first, undefined)).toBe(true);
    expect(store.put(collection, object('x', 'a'), undefined)).toBe(false);
    expect(store.put(collection, object('x', 'a'), first)).toBe(true);
    expect(store.remove(collection, first)).toBe(false);
    expect(store.version).toBe(3);
  });

  test('forgets what was compacted, in collections old and new', () => {
    const store = new Store();
    const collection = store.collection('/things');
    store.put(collection, object('x', 'a'), undefined);
    store.put(collection, object('x', 'b'), undefined);
    store.compact(store.version);
    expect(collection.listAt(store.version - 1)).toBeUndefined();
    expect(collection.changesAfter(store.version)).toEqual([]);
    expect(store.collection('/others').changesAfter(1)).toBeUndefined();
  });
});
