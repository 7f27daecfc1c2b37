// The warm queue: keys of one pool's Sandboxes, and which of them the next claim gets, by
// "NodeSpread with FIFO tie-break" (spec section 3). It is a value for the context of the pool's
// actor: it never changes, an operation returns another one. That costs the same for any number of
// members, and grows with the logarithm of the number of nodes; machines/contract/versions.ts says
// what an old queue costs.
//
// A key is as old as its stay in this queue. One that comes from another queue goes to the tail: of
// the Ready ones, the oldest is Ready longest.
import { Version } from '../../../contract/versions.ts';
import { Queued, type QueueKey } from './fifo.ts';
import { type Change, Spread } from './spread.ts';

/** `toEqual` compares the keys in their order. `isEqual`, which is for JSON, sees none of them. */
export class WarmQueue {
  readonly size: number;
  readonly #version: Version<Spread, Change>;

  private constructor(size: number, version: Version<Spread, Change>) {
    this.size = size;
    this.#version = version;
  }

  static of(keys: Iterable<QueueKey> = []): WarmQueue {
    let queue = new WarmQueue(0, emptyVersion());
    for (const key of keys) queue = queue.add(key);
    return queue;
  }

  has(name: string): boolean {
    return this.#version.read().byName.has(name);
  }

  /** At the tail, or where a key of this name is: then only its node changes. */
  add(key: QueueKey): WarmQueue {
    // Actors that begin with one empty queue have no core in common.
    const version = this.size === 0 ? emptyVersion() : this.#version;
    const core = version.read();
    const before = core.byName.get(key.name);
    if (before?.nodeName === key.nodeName) return this;
    const queued = new Queued(
      before?.name ?? key.name,
      key.nodeName,
      before?.age ?? core.nextAge(),
    );
    const size = before === undefined ? this.size + 1 : this.size;
    return new WarmQueue(size, version.change({ name: queued.name, queued }));
  }

  /** This very queue if the key is not there. */
  remove(name: string): WarmQueue {
    const queued = this.#version.read().byName.get(name);
    if (queued === undefined) return this;
    // Of the two equal strings the one that the core finds faster.
    const change = { name: queued.name, queued: undefined };
    return new WarmQueue(this.size - 1, this.#version.change(change));
  }

  /**
   * The oldest of all keys on the nodes that have the most of them here; keys without a node come
   * when there are no others, the oldest first (3.2). It stays in the queue.
   */
  pick(): QueueKey | undefined {
    const picked = this.#version.read().pick();
    return picked === undefined ? undefined : keyOf(picked);
  }

  /** From head to tail: for people and tests, as it sorts. */
  keys(): readonly QueueKey[] {
    return [...this.#version.read().byName.values()].toSorted((a, b) => a.age - b.age).map(keyOf);
  }

  [Symbol.iterator](): Iterator<QueueKey> {
    return this.keys().values();
  }
}

const emptyVersion = () => new Version<Spread, Change>(new Spread());

/** What is handed out must not be what the core changes. */
const keyOf = ({ name, nodeName }: QueueKey): QueueKey => ({ name, nodeName });
