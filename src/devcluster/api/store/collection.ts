// The objects of one resource (all of its versions share one collection) and the log of its latest
// changes. The log serves watches and, undone from the end, lists at an older version.
import type { Stored } from '#src/devcluster/contract.ts';
import { changeLogLimit } from '../limits.ts';

/** One committed write. `previous` is absent for ADDED. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly version: number;
  readonly object: Stored;
  readonly previous: Stored | undefined;
}

export const namespaceOf = (object: Stored): string => {
  const namespace = object.metadata['namespace'];
  return typeof namespace === 'string' ? namespace : '';
};

export const nameOf = (object: Stored): string => {
  const name = object.metadata['name'];
  return typeof name === 'string' ? name : '';
};

/** `namespace/name`: what lists are ordered by. */
export const keyOf = (object: Stored): string => `${namespaceOf(object)}/${nameOf(object)}`;

interface Bucket {
  readonly objects: Map<string, Stored>;
  /** Sorted names; undefined after one came or went. */
  names: string[] | undefined;
}

export class Collection {
  readonly #buckets = new Map<string, Bucket>();
  readonly #listeners = new Set<(change: Change) => void>();
  #log: Change[] = [];
  /** Changes up to this version are forgotten. */
  #floor = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(namespace: string, name: string): Stored | undefined {
    return this.#buckets.get(namespace)?.objects.get(name);
  }

  /** Everything, or one namespace, in the order of keys. */
  list(namespace?: string): Stored[] {
    if (namespace !== undefined) return this.#listBucket(namespace);
    return [...this.#buckets.keys()]
      .toSorted((a, b) => (`${a}/` < `${b}/` ? -1 : 1))
      .flatMap((each) => this.#listBucket(each));
  }

  /** The list as it was at the version; undefined when that is too long ago. */
  listAt(version: number, namespace?: string): Stored[] | undefined {
    if (version < this.#floor) return undefined;
    if ((this.#log.at(-1)?.version ?? 0) <= version) return this.list(namespace);
    const objects = new Map(this.list().map((object) => [keyOf(object), object]));
    for (let at = this.#log.length - 1; at >= 0; at--) {
      const change = this.#log[at];
      if (change === undefined || change.version <= version) break;
      if (change.previous === undefined) objects.delete(keyOf(change.object));
      else objects.set(keyOf(change.object), change.previous);
    }
    const kept = [...objects.values()];
    return kept
      .filter((object) => namespace === undefined || namespaceOf(object) === namespace)
      .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }

  /** The changes after the version, oldest first; undefined when some of them are forgotten. */
  changesAfter(version: number): Change[] | undefined {
    if (version < this.#floor) return undefined;
    let low = 0;
    let high = this.#log.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#log[middle]?.version ?? 0) <= version) low = middle + 1;
      else high = middle;
    }
    return this.#log.slice(low);
  }

  /** The version up to which changes are forgotten. */
  get floor(): number {
    return this.#floor;
  }

  /** Called at every change, synchronously, in order; the returned function ends it. */
  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Only the store calls this: it gives the versions. */
  apply(change: Change): void {
    const namespace = namespaceOf(change.object);
    const bucket = this.#buckets.get(namespace) ?? { objects: new Map(), names: undefined };
    this.#buckets.set(namespace, bucket);
    if (change.type === 'DELETED') bucket.objects.delete(nameOf(change.object));
    else bucket.objects.set(nameOf(change.object), change.object);
    if (change.type !== 'MODIFIED') bucket.names = undefined;
    if (change.type === 'ADDED') this.#size++;
    if (change.type === 'DELETED') this.#size--;
    if (bucket.objects.size === 0) this.#buckets.delete(namespace);
    this.#log.push(change);
    if (this.#log.length > 2 * changeLogLimit) {
      this.compact(this.#log[this.#log.length - changeLogLimit - 1]?.version ?? 0);
    }
    for (const listener of this.#listeners) listener(change);
  }

  /** Only the store calls this. */
  restore(version: number, objects: readonly Stored[]): void {
    this.#buckets.clear();
    for (const object of objects) {
      const namespace = namespaceOf(object);
      const bucket = this.#buckets.get(namespace) ?? { objects: new Map(), names: undefined };
      this.#buckets.set(namespace, bucket);
      bucket.objects.set(nameOf(object), object);
    }
    this.#size = objects.length;
    this.#log = [];
    this.#floor = version;
  }

  /** Forgets the changes up to and including the version. */
  compact(version: number): void {
    this.#log = this.changesAfter(version) ?? this.#log;
    this.#floor = Math.max(this.#floor, version);
  }

  #listBucket(namespace: string): Stored[] {
    const bucket = this.#buckets.get(namespace);
    if (bucket === undefined) return [];
    bucket.names ??= [...bucket.objects.keys()].toSorted();
    const list: Stored[] = [];
    for (const name of bucket.names) {
      const object = bucket.objects.get(name);
      if (object !== undefined) list.push(object);
    }
    return list;
  }
}
