// Keys by age, of which the oldest is wanted: those of one node, or those of none. Nearly all of
// them come youngest last. They form a list, where a key comes and goes at a fixed price however
// many there are. One that moves here from another node may be older: a heap holds such keys.
import { Heap, type Ranked } from './heap.ts';

/** As place: in the list, not in the heap. */
const inList = -1;

/** A Sandbox that can be given to a claim. */
export interface QueueKey {
  readonly name: string;
  /** Empty: it is not scheduled, or not known to be. */
  readonly nodeName: string;
}

/** A key in the queue, and its place in a Fifo. */
export class Queued implements QueueKey, Ranked {
  readonly name: string;
  readonly nodeName: string;
  /** Grows with each key that comes. */
  readonly age: number;
  readonly size = 1;
  place = inList;
  /** Where it is; the name of the node would have to be looked up. */
  fifo: Fifo | undefined;
  older: Queued | undefined;
  younger: Queued | undefined;

  constructor(name: string, nodeName: string, age: number) {
    this.name = name;
    this.nodeName = nodeName;
    this.age = age;
  }
}

const isOlder = (a: Queued, b: Queued): boolean => a.age < b.age;

export class Fifo implements Ranked {
  size = 0;
  /** Order of the oldest key; while there is none, nobody asks. */
  age = 0;
  /** Among the nodes. */
  place = 0;
  #oldest: Queued | undefined;
  #youngest: Queued | undefined;
  /** Few nodes need it. */
  #late: Heap<Queued> | undefined;

  get first(): Queued | undefined {
    const listed = this.#oldest;
    const late = this.#late?.first;
    if (listed === undefined || late === undefined) return listed ?? late;
    return isOlder(late, listed) ? late : listed;
  }

  add(one: Queued): void {
    this.size++;
    one.place = inList;
    one.fifo = this;
    if (this.#youngest === undefined || isOlder(this.#youngest, one)) {
      this.#link(this.#youngest, one);
      this.#link(one, undefined);
    } else if (this.#oldest !== undefined && isOlder(one, this.#oldest)) {
      this.#link(one, this.#oldest);
      this.#link(undefined, one);
    } else (this.#late ??= new Heap()).add(one);
    this.age = this.first?.age ?? 0;
  }

  remove(one: Queued): void {
    this.size--;
    if (one.place === inList) this.#unlink(one);
    else this.#late?.remove(one);
    one.fifo = undefined;
    this.age = this.first?.age ?? 0;
  }

  #unlink(one: Queued): void {
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
