// The policies `random` and `random-choice-2`: the candidates are a dense list, from which one is
// drawn, or two of which the one with fewer requests gets the next. A draw costs the same however
// many pods and holes there are and however few candidates; each is as likely as any other.
import { type Columns, none } from '../columns.ts';
import { maxShared, type Random, upperHalf } from '../random.ts';
import type { Policy } from './policy.ts';

export class Drawn implements Policy {
  readonly #columns: Columns;
  readonly #random: Random;
  readonly #choices: 1 | 2;
  #list = new Int32Array(0);
  /** Of each candidate in the list. */
  #place = new Int32Array(0);
  #size = 0;

  constructor(columns: Columns, random: Random, choices: 1 | 2) {
    this.#columns = columns;
    this.#random = random;
    this.#choices = choices;
  }

  enter(index: number): void {
    this.#list[this.#size] = index;
    this.#place[index] = this.#size;
    this.#size += 1;
  }

  leave(index: number): void {
    this.#size -= 1;
    const last = this.#list[this.#size] ?? 0;
    const place = this.#place[index] ?? 0;
    this.#list[place] = last;
    this.#place[last] = place;
  }

  move(): void {}

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** Of two different candidates. Both orders of a pair are equally likely, so the first one may
   *  win a tie: that is as fair as a coin. Without branches, as chance would have half of them
   *  mispredicted: a difference shifted by 31 is all ones where it is below 0, else 0. */
  pick(): number {
    const size = this.#size;
    const list = this.#list;
    // One pod takes no random number.
    if (size <= 1) return size === 0 ? none : (list[0] ?? 0);
    const number = this.#random.next();
    const first = upperHalf(number, size);
    const one = list[first] ?? 0;
    if (this.#choices === 1) return one;
    const rest = size > maxShared ? this.#random.next() : Math.imul(number, size);
    const drawn = upperHalf(rest, size - 1);
    const other = list[drawn + 1 + ((drawn - first) >> 31)] ?? 0;
    const { free } = this.#columns;
    const isOther = ((free[one] ?? 0) - (free[other] ?? 0)) >> 31;
    return (one & ~isOther) | (other & isOther);
  }

  resize(length: number): void {
    const list = new Int32Array(length);
    const place = new Int32Array(length);
    list.set(this.#list);
    place.set(this.#place);
    this.#list = list;
    this.#place = place;
  }

  clear(): void {
    this.#size = 0;
  }

  members(): readonly number[] {
    const list = [...this.#list.subarray(0, this.#size)];
    return list.filter((index, place) => this.#place[index] === place);
  }
}
