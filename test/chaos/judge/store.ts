// The store of the simulator's oracles, filled with the changes that a real etcd had, under its own
// versions. Nothing writes to it but who plays a recording.
import { nameOf, namespaceOf } from '#src/devcluster/api/store/collection.ts';
import { Store } from '#src/devcluster/api/store/store.ts';
import type { Committed } from '../recording/records.ts';

export class RecordedStore extends Store {
  #at = 0;

  override get version(): number {
    return this.#at;
  }

  /** Changes come in the order of their versions. */
  take({ collection, version, isDeleted, object }: Committed): void {
    const objects = this.collection(collection);
    const previous = objects.get(namespaceOf(object), nameOf(object));
    this.#at = version;
    if (isDeleted && previous === undefined) return;
    const type = isDeleted ? 'DELETED' : previous === undefined ? 'ADDED' : 'MODIFIED';
    objects.apply({ type, version, object, previous });
  }
}
