// A map for the context of an actor that has thousands of something: it never changes, its order is
// that of insertion as in a Map, and a change costs the same for ten entries and for ten thousand.
// versions.ts says by what means, and what an old version costs.
import { type Core, Version } from './versions.ts';

interface Entry<V> {
  readonly value: V;
  /** Of insertion. */
  readonly order: number;
}

interface Change<K, V> {
  readonly key: K;
  /** Undefined: the key is not there. */
  readonly entry: Entry<V> | undefined;
}

/**
 * Two of them compare by their entries in `toEqual`. `isEqual` is for JSON and sees no entries in
 * either, as it sees none in a Map: hand it `entries()`.
 */
export class PersistentMap<K, V> {
  readonly size: number;
  readonly #version: Version<Entries<K, V>, Change<K, V>>;

  private constructor(size: number, version: Version<Entries<K, V>, Change<K, V>>) {
    this.size = size;
    this.#version = version;
  }

  static of<K, V>(entries: Iterable<readonly [K, V]> = []): PersistentMap<K, V> {
    let map = new PersistentMap<K, V>(0, emptyVersion<K, V>());
    for (const [key, value] of entries) map = map.set(key, value);
    return map;
  }

  has(key: K): boolean {
    return this.#version.read().byKey.has(key);
  }

  get(key: K): V | undefined {
    return this.#version.read().byKey.get(key)?.value;
  }

  /** A key that is there keeps its place. This very map if it has that value already. */
  set(key: K, value: V): PersistentMap<K, V> {
    // Actors that begin with one empty map have no core in common.
    const version = this.size === 0 ? emptyVersion<K, V>() : this.#version;
    const core = version.read();
    const before = core.byKey.get(key);
    if (before !== undefined && Object.is(before.value, value)) return this;
    const entry = { value, order: before?.order ?? core.nextOrder() };
    const size = before === undefined ? this.size + 1 : this.size;
    return new PersistentMap(size, version.change({ key, entry }));
  }

  /** This very map if the key is not there. */
  delete(key: K): PersistentMap<K, V> {
    if (!this.has(key)) return this;
    return new PersistentMap(this.size - 1, this.#version.change({ key, entry: undefined }));
  }

  /** These three are copies: other maps may be made of this one while they are read. */
  entries(): [K, V][] {
    return Array.from(this.#version.read().inOrder(), ([key, { value }]) => [key, value]);
  }

  keys(): K[] {
    return [...this.#version.read().inOrder().keys()];
  }

  values(): V[] {
    return Array.from(this.#version.read().inOrder().values(), ({ value }) => value);
  }

  [Symbol.iterator](): Iterator<[K, V]> {
    return this.entries().values();
  }
}

const emptyVersion = <K, V>() => new Version<Entries<K, V>, Change<K, V>>(new Entries());

class Entries<K, V> implements Core<Change<K, V>> {
  byKey = new Map<K, Entry<V>>();
  #orders = 0;
  #youngest = 0;
  /** No more once a deletion was undone: the entry came back at the end. */
  #isInOrder = true;

  nextOrder(): number {
    return ++this.#orders;
  }

  apply({ key, entry }: Change<K, V>): Change<K, V> {
    const before = this.byKey.get(key);
    if (entry === undefined) this.byKey.delete(key);
    else {
      if (before === undefined && entry.order < this.#youngest) this.#isInOrder = false;
      this.#youngest = Math.max(this.#youngest, entry.order);
      this.byKey.set(key, entry);
    }
    return { key, entry: before };
  }

  inOrder(): ReadonlyMap<K, Entry<V>> {
    if (!this.#isInOrder) {
      this.byKey = new Map([...this.byKey].toSorted(([, a], [, b]) => a.order - b.order));
      this.#isInOrder = true;
    }
    return this.byKey;
  }
}
