// A binary heap whose items know their place in it, so that any of them can leave or change its rank
// without a search. spread.ts keeps keys and nodes in such heaps.

export interface Placed {
  /** The heap's own. An item is in one heap at a time. */
  place: number;
}

export class Heap<T extends Placed> {
  readonly #items: T[] = [];
  readonly #isBefore: (a: T, b: T) => boolean;

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  add(item: T): void {
    item.place = this.#items.length;
    this.#items.push(item);
    this.#rise(item);
  }

  remove(item: T): void {
    const last = this.#items.pop();
    if (last === undefined || last === item) return;
    this.#put(last, item.place);
    this.update(last);
  }

  /** After its rank has changed. */
  update(item: T): void {
    this.#rise(item);
    this.#sink(item);
  }

  #rise(item: T): void {
    while (item.place > 0) {
      const at = item.place;
      const above = (at - 1) >> 1;
      const parent = this.#items[above];
      if (parent === undefined || !this.#isBefore(item, parent)) return;
      this.#put(parent, at);
      this.#put(item, above);
    }
  }

  #sink(item: T): void {
    for (;;) {
      const at = item.place;
      const left = this.#items[2 * at + 1];
      const right = this.#items[2 * at + 2];
      if (left === undefined) return;
      const child = right !== undefined && this.#isBefore(right, left) ? right : left;
      if (!this.#isBefore(child, item)) return;
      this.#put(item, child.place);
      this.#put(child, at);
    }
  }

  #put(item: T, place: number): void {
    this.#items[place] = item;
    item.place = place;
  }
}
