// The mutable core of a warm queue: its keys by node, and the nodes in the order in which they give
// keys away. Each change keeps both up to date, so a pick counts nothing. queue.ts alone uses it.
import type { Core } from '../../../contract/versions.ts';
import { Fifo, type Queued } from './fifo.ts';
import { Heap, type Placed } from './heap.ts';

export interface Change {
  readonly name: string;
  /** Undefined: it is not queued. */
  readonly queued: Queued | undefined;
}

interface Node extends Placed {
  readonly keys: Fifo;
}

/** More keys first; of nodes with equally many, the one with the oldest key. */
const isBefore = ({ keys: a }: Node, { keys: b }: Node): boolean =>
  a.size === b.size ? (a.first?.order ?? 0) < (b.first?.order ?? 0) : a.size > b.size;

export class Spread implements Core<Change> {
  readonly byName = new Map<string, Queued>();
  readonly #byNode = new Map<string, Node>();
  /** None of them without a key. */
  readonly #nodes = new Heap(isBefore);
  readonly #unscheduled = new Fifo();
  #orders = 0;

  nextOrder(): number {
    return ++this.#orders;
  }

  /** Of the node with the most keys the oldest; where no key has a node, the oldest of all. */
  pick(): Queued | undefined {
    return (this.#nodes.first?.keys ?? this.#unscheduled).first;
  }

  apply({ name, queued }: Change): Change {
    const before = this.byName.get(name);
    if (before !== undefined) this.#leave(before);
    if (queued === undefined) this.byName.delete(name);
    else {
      this.byName.set(name, queued);
      this.#join(queued);
    }
    return { name, queued: before };
  }

  #join(one: Queued): void {
    const { nodeName } = one;
    if (nodeName === '') return this.#unscheduled.add(one);
    const node = this.#byNode.get(nodeName);
    if (node !== undefined) {
      node.keys.add(one);
      return this.#nodes.update(node);
    }
    const added = { keys: new Fifo(), place: 0 };
    added.keys.add(one);
    this.#byNode.set(nodeName, added);
    this.#nodes.add(added);
  }

  #leave(one: Queued): void {
    const { nodeName } = one;
    const node = this.#byNode.get(nodeName);
    if (node === undefined) return this.#unscheduled.remove(one);
    node.keys.remove(one);
    if (node.keys.size > 0) return this.#nodes.update(node);
    // As it was when it came into its place: the heap compares it with nothing.
    this.#nodes.remove(node);
    this.#byNode.delete(nodeName);
  }
}
