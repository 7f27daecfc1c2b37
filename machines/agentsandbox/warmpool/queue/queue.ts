// The warm queue: keys of one pool's Sandboxes, and which of them the next claim gets, "NodeSpread
// with FIFO tie-break" (spec section 3). A value for the context of the pool's actor, which never
// changes: an operation returns another queue at a price that does not grow with the members, but
// for the logarithm of the number of nodes. machines/contract/versions.ts says what an old one costs.
//
// A key is as old as its stay in this queue. One that comes from another queue begins anew at the
// tail, as does a key that a claim has skipped (Q24); so who is Ready longest is the oldest.
import { Version } from '../../../contract/versions.ts';
import { Queued, type QueueKey } from './fifo.ts';
import { type Change, Spread } from './spread.ts';

/** What becomes of a key that is looked at: it is the one, it stays, or it leaves the queue. */
export type Verdict = 'take' | 'skip' | 'drop';

export interface Choice<Q> {
  readonly chosen: QueueKey | undefined;
  readonly rest: Q;
}

/** `toEqual` compares the keys in their order. `isEqual`, which is for JSON, sees none of them. */
export class WarmQueue {
  readonly size: number;
  readonly #version: Version<Spread, Change>;

  private constructor(size: number, version: Version<Spread, Change>) {
    this.size = size;
    this.#version = version;
  }

  static of(keys: Iterable<QueueKey> = []): WarmQueue {
    let queue = new WarmQueue(0, new Version(new Spread()));
    for (const key of keys) queue = queue.add(key);
    return queue;
  }

  has(name: string): boolean {
    return this.#version.read().byName.has(name);
  }

  /** At the tail, or where a key of this name is: then only its node changes. */
  add(key: QueueKey): WarmQueue {
    // Actors that begin with one empty queue have no core in common.
    const version = this.size === 0 ? new Version(new Spread()) : this.#version;
    const core = version.read();
    const { name, nodeName } = key;
    const before = core.byName.get(name);
    if (before?.nodeName === nodeName) return this;
    const queued = new Queued(key, before?.order ?? core.nextOrder());
    const size = before === undefined ? this.size + 1 : this.size;
    return new WarmQueue(size, version.change({ name, queued }));
  }

  /** This very queue if the key is not there. */
  remove(name: string): WarmQueue {
    if (!this.has(name)) return this;
    return new WarmQueue(this.size - 1, this.#version.change({ name, queued: undefined }));
  }

  /**
   * The oldest of all keys on the nodes that have the most of them here; keys without a node come
   * when there are no others, the oldest first (3.2). It stays in the queue.
   */
  pick(): QueueKey | undefined {
    const picked = this.#version.read().pick();
    return picked === undefined ? undefined : keyOf(picked);
  }

  /**
   * Takes keys out, pick by pick, until one will do. Those that were skipped return to the tail
   * (Q23, Q24). What holds for all keys is to be judged before: each skipped key costs.
   */
  choose(judge: (key: QueueKey) => Verdict): Choice<WarmQueue> {
    const skipped: QueueKey[] = [];
    let rest: WarmQueue = this;
    let chosen: QueueKey | undefined;
    for (let key = rest.pick(); key !== undefined && chosen === undefined; key = rest.pick()) {
      const verdict = judge(key);
      rest = rest.remove(key.name);
      if (verdict === 'take') chosen = key;
      if (verdict === 'skip') skipped.push(key);
    }
    return { chosen, rest: skipped.reduce((queue, key) => queue.add(key), rest) };
  }

  /** From head to tail: for people and tests, as it sorts. */
  keys(): readonly QueueKey[] {
    return [...this.#version.read().byName.values()]
      .toSorted((a, b) => a.order - b.order)
      .map(keyOf);
  }

  [Symbol.iterator](): Iterator<QueueKey> {
    return this.keys().values();
  }
}

/** What is handed out must not be what the core changes. */
const keyOf = ({ name, nodeName }: QueueKey): QueueKey => ({ name, nodeName });
