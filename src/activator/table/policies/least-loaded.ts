// The policy `least-loaded`: the candidates with the same number of requests are a list, of which
// the first one is taken from the lowest list that has any. A pod joins a list at its end, so of
// those with equally many requests the one that has had so many for longest comes first.
import { at, type Columns, none } from '../columns.ts';
import type { Policy } from './policy.ts';

/** Numbers of requests for which there is room at first. */
const initialLists = 16;

export class LeastLoaded implements Policy {
  readonly #columns: Columns;
  /** Rings of links: a slot at twice its index, the two ends of a list at twice its number of
   *  requests + 1. So no link has to be looked at before it is followed. */
  #next = new Int32Array(0);
  #previous = new Int32Array(0);
  #size = 0;
  /** No list below is anything but empty. */
  #lowest = 0;

  constructor(columns: Columns) {
    this.#columns = columns;
    this.resize(initialLists);
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  enter(index: number): void {
    this.#size += 1;
    this.#closeAt(2 * index);
    this.move(index, at(this.#columns.inFlight, index));
  }

  leave(index: number): void {
    this.#size -= 1;
    const after = at(this.#next, 2 * index);
    const before = at(this.#previous, 2 * index);
    this.#next[before] = after;
    this.#previous[after] = before;
  }

  /** From the list that it is in to the end of another one. */
  move(index: number, inFlight: number): void {
    const list = 2 * inFlight + 1;
    if (list >= this.#next.length) this.resize(2 * inFlight);
    if (inFlight < this.#lowest) this.#lowest = inFlight;
    const next = this.#next;
    const previous = this.#previous;
    const link = 2 * index;
    const after = next[link] ?? 0;
    const before = previous[link] ?? 0;
    next[before] = after;
    previous[after] = before;
    const last = previous[list] ?? 0;
    next[last] = link;
    previous[link] = last;
    next[link] = list;
    previous[list] = link;
  }

  pick(): number {
    if (this.#size === 0) return none;
    const next = this.#next;
    let list = 2 * this.#lowest + 1;
    let first = next[list] ?? 0;
    while (first === list) {
      list += 2;
      first = next[list] ?? 0;
    }
    this.#lowest = list >> 1;
    return first >> 1;
  }

  /** Room for as many lists as slots. */
  resize(length: number): void {
    const before = this.#next.length;
    if (2 * length <= before) return;
    const longer = (links: Int32Array): Int32Array<ArrayBuffer> => {
      const copy = new Int32Array(2 * length);
      copy.set(links);
      return copy;
    };
    this.#next = longer(this.#next);
    this.#previous = longer(this.#previous);
    this.#close(before);
  }

  clear(): void {
    this.#close(0);
    this.#size = 0;
    this.#lowest = 0;
  }

  members(): readonly number[] {
    const { length } = this.#next;
    const found: number[] = [];
    for (let list = 1; list < length; list += 2) {
      let link = at(this.#next, list);
      // Bounded, for links that lead in a circle.
      while (link !== list && found.length < length) {
        if (at(this.#columns.inFlight, link >> 1) === list >> 1) found.push(link >> 1);
        link = at(this.#next, link);
      }
    }
    return found;
  }

  /** Empties the lists whose ends are at `from` or later. */
  #close(from: number): void {
    for (let list = from + 1; list < this.#next.length; list += 2) this.#closeAt(list);
  }

  /** In a ring of its own: a list without pods, or a pod that is in no list. */
  #closeAt(link: number): void {
    this.#next[link] = link;
    this.#previous[link] = link;
  }
}
