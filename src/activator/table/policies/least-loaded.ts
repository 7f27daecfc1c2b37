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
    this.#join(index, at(this.#columns.inFlight, index));
  }

  leave(index: number): void {
    this.#size -= 1;
    this.#unlink(index);
  }

  move(index: number, inFlight: number): void {
    this.#unlink(index);
    this.#join(index, inFlight);
  }

  #unlink(index: number): void {
    const next = at(this.#next, 2 * index);
    const previous = at(this.#previous, 2 * index);
    this.#next[previous] = next;
    this.#previous[next] = previous;
  }

  pick(): number {
    if (this.#size === 0) return none;
    let list = 2 * this.#lowest + 1;
    let first = at(this.#next, list);
    while (first === list) {
      list += 2;
      first = at(this.#next, list);
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

  #join(index: number, inFlight: number): void {
    const list = 2 * inFlight + 1;
    if (list >= this.#next.length) this.resize(2 * inFlight);
    const last = at(this.#previous, list);
    this.#next[last] = 2 * index;
    this.#previous[2 * index] = last;
    this.#next[2 * index] = list;
    this.#previous[list] = 2 * index;
    if (inFlight < this.#lowest) this.#lowest = inFlight;
  }

  /** Empties the lists whose ends are at `from` or later. */
  #close(from: number): void {
    for (let list = from + 1; list < this.#next.length; list += 2) {
      this.#next[list] = list;
      this.#previous[list] = list;
    }
  }
}
