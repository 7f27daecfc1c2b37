// The one place where the cluster's state lives: collections of immutable objects under one counter
// of versions. Every write is synchronous and names the object that it replaces, so two writers can
// never both win. server.ts and its verbs are the only callers that write.
import type { Stored } from '#src/devcluster/contract.ts';
import { Collection, nameOf, namespaceOf } from './collection.ts';

/** All objects as they were at a version. */
export interface Backup {
  readonly version: number;
  readonly objects: ReadonlyMap<string, readonly Stored[]>;
}

export class Store {
  readonly #collections = new Map<string, Collection>();
  #version = 1;
  #floor = 0;

  /** The version of the latest write; also what lists carry. */
  get version(): number {
    return this.#version;
  }

  /** The collection of `group/plural`, made when first asked for. */
  collection(groupResource: string): Collection {
    const present = this.#collections.get(groupResource);
    if (present !== undefined) return present;
    const created = new Collection();
    created.compact(this.#floor);
    this.#collections.set(groupResource, created);
    return created;
  }

  /**
   * Stores the object in place of `live` (undefined: there must be none) and gives it the next
   * version. The store keeps `object` itself: the caller must not touch it afterwards.
   * False: `live` is not what is stored any more, nothing was done.
   */
  put(collection: Collection, object: Stored, live: Stored | undefined): boolean {
    if (collection.get(namespaceOf(object), nameOf(object)) !== live) return false;
    this.#version++;
    object.metadata['resourceVersion'] = String(this.#version);
    const type = live === undefined ? 'ADDED' : 'MODIFIED';
    collection.apply({ type, version: this.#version, object, previous: live });
    return true;
  }

  /** Removes `live`; the change carries `last`, its final form. False: it is not live any more. */
  remove(collection: Collection, live: Stored, last: Stored = live): boolean {
    if (collection.get(namespaceOf(live), nameOf(live)) !== live) return false;
    this.#version++;
    const metadata = { ...last.metadata, resourceVersion: String(this.#version) };
    const object: Stored = { ...last, metadata };
    collection.apply({ type: 'DELETED', version: this.#version, object, previous: live });
    return true;
  }

  backup(): Backup {
    const objects = new Map<string, readonly Stored[]>();
    for (const [name, collection] of this.#collections) objects.set(name, collection.list());
    return { version: this.#version, objects };
  }

  /** As after a restore of etcd: versions go back, and what was before the backup is forgotten.
   *  Nobody hears of it: who watches must be told to begin anew. */
  restore({ version, objects }: Backup): void {
    this.#version = version;
    this.#floor = version;
    for (const [name, collection] of this.#collections) {
      collection.restore(version, objects.get(name) ?? []);
    }
  }

  /** Forgets all changes up to the version: older watches, lists and tokens are 410 from now on. */
  compact(upTo: number): void {
    const version = Math.min(upTo, this.#version);
    this.#floor = Math.max(this.#floor, version);
    for (const collection of this.#collections.values()) collection.compact(version);
  }
}
