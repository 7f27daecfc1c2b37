// The mutable core of a warm queue: its keys by node, and the nodes in the order in which they give
// keys away. Each change keeps both up to date, so a pick counts nothing. queue.ts alone uses it.
import type { Core } from '../../../contract/versions.ts';
import { Fifo, type Queued } from './fifo.ts';
import { Heap } from './heap.ts';

export interface Change {
  readonly name: string;
  /** Undefined: it is not queued. */
  readonly queued: Queued | undefined;
}

export class Spread implements Core<Change> {
  readonly byName = new Map<string, Queued>();
  readonly #byNode = new Map<string, Fifo>();
  /** None of them without a key. */
  readonly #nodes = new Heap<Fifo>();
  readonly #unscheduled = new Fifo();
  #ages = 0;

  nextAge(): number {
    return ++this.#ages;
  }

  /** Of the node with the most keys the oldest; where no key has a node, the oldest of all. */
  pick(): Queued | undefined {
    return (this.#nodes.first ?? this.#unscheduled).first;
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
      node.add(one);
      return this.#nodes.update(node);
    }
    const added = new Fifo();
    added.add(one);
    this.#byNode.set(nodeName, added);
    this.#nodes.add(added);
  }

  #leave(one: Queued): void {
    const { fifo, nodeName } = one;
    if (fifo === undefined) return;
    fifo.remove(one);
    if (fifo === this.#unscheduled) return;
    if (fifo.size > 0) return this.#nodes.update(fifo);
    this.#nodes.remove(fifo);
    this.#byNode.delete(nodeName);
  }
}
