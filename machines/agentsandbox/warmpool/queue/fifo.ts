// Keys by age, of which the oldest is wanted: those of one node, or those of none. Nearly all come
// youngest last and form a list, where a key comes and goes at a fixed price however many there are.
// One that moves here from another node may be older than that: a heap holds such keys.
import { Heap, type Placed } from './heap.ts';

/** As place: in the list, not in the heap. */
const inList = -1;

/** A Sandbox that can be given to a claim. */
export interface QueueKey {
  readonly name: string;
  /** Empty: it is not scheduled, or not known to be. */
  readonly nodeName: string;
}

/** A key in the queue, and its place in a Fifo. */
export class Queued implements QueueKey, Placed {
  readonly name: string;
  readonly nodeName: string;
  /** Grows with each key that comes. */
  readonly order: number;
  place = inList;
  older: Queued | undefined;
  younger: Queued | undefined;

  constructor({ name, nodeName }: QueueKey, order: number) {
    this.name = name;
    this.nodeName = nodeName;
    this.order = order;
  }
}

const isOlder = (a: Queued, b: Queued): boolean => a.order < b.order;

export class Fifo {
  size = 0;
  #oldest: Queued | undefined;
  #youngest: Queued | undefined;
  readonly #late = new Heap(isOlder);

  get first(): Queued | undefined {
    const listed = this.#oldest;
    const late = this.#late.first;
    if (listed === undefined || late === undefined) return listed ?? late;
    return isOlder(late, listed) ? late : listed;
  }

  add(one: Queued): void {
    this.size++;
    one.place = inList;
    if (this.#youngest === undefined || isOlder(this.#youngest, one)) {
      this.#link(this.#youngest, one);
      this.#link(one, undefined);
    } else if (this.#oldest !== undefined && isOlder(one, this.#oldest)) {
      this.#link(one, this.#oldest);
      this.#link(undefined, one);
    } else this.#late.add(one);
  }

  remove(one: Queued): void {
    this.size--;
    if (one.place !== inList) return this.#late.remove(one);
    this.#link(one.older, one.younger);
    // Whoever keeps a removed key would keep all that came after it.
    one.older = undefined;
    one.younger = undefined;
  }

  #link(older: Queued | undefined, younger: Queued | undefined): void {
    if (older === undefined) this.#oldest = younger;
    else older.younger = younger;
    if (younger === undefined) this.#youngest = older;
    else younger.older = older;
  }
}
