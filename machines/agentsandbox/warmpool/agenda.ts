// Names by the time at which each is looked at, the earliest first: of members that are not ready,
// and of those to be deleted, whose time is the order in which they were chosen. A value that never
// changes, for the context of the pool's actor; a change costs the logarithm of its size.
import { Version, type Core } from '../../contract/versions.ts';
import { Heap, type Ranked } from './queue/heap.ts';

export interface Due {
  readonly name: string;
  readonly at: number;
}

/** The earlier, the larger. */
interface Item extends Due, Ranked {}

interface Change {
  readonly name: string;
  /** Undefined: it is not there. */
  readonly item: Item | undefined;
}

class Dues implements Core<Change> {
  readonly byName = new Map<string, Item>();
  readonly heap = new Heap<Item>();
  orders = 0;

  apply({ name, item }: Change): Change {
    const before = this.byName.get(name);
    if (before !== undefined) this.heap.remove(before);
    this.byName.delete(name);
    if (item !== undefined) {
      this.byName.set(name, item);
      this.heap.add(item);
    }
    return { name, item: before };
  }
}

export class Agenda {
  readonly size: number;
  readonly #version: Version<Dues, Change>;

  private constructor(size: number, version: Version<Dues, Change>) {
    this.size = size;
    this.#version = version;
  }

  static of(): Agenda {
    return new Agenda(0, new Version<Dues, Change>(new Dues()));
  }

  /** Undefined: there is nothing. */
  get first(): Due | undefined {
    return this.#version.read().heap.first;
  }

  at(name: string): number | undefined {
    return this.#version.read().byName.get(name)?.at;
  }

  /** In the place of what it was to be at before. */
  set(name: string, at: number): Agenda {
    const version = this.size === 0 ? new Version<Dues, Change>(new Dues()) : this.#version;
    const core = version.read();
    const before = core.byName.get(name);
    if (before?.at === at) return this;
    const item = { name, at, size: -at, age: ++core.orders, place: 0 };
    return new Agenda(core.byName.size + (before ? 0 : 1), version.change({ name, item }));
  }

  delete(name: string): Agenda {
    const core = this.#version.read();
    if (!core.byName.has(name)) return this;
    return new Agenda(core.byName.size - 1, this.#version.change({ name, item: undefined }));
  }
}
