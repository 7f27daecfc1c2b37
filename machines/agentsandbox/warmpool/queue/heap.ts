// A binary heap of what is large and old: the largest first, of equally large ones the oldest. Its
// items know their place in it, so any of them can leave or change its rank without a search.

export interface Ranked {
  readonly size: number;
  /** The smaller, the older; no two of equal size have the same. */
  readonly age: number;
  /** The heap's own. An item is in one heap at a time. */
  place: number;
}

/** Children of an item: with many, few items move when one does. */
const width = 8;

export class Heap<T extends Ranked> {
  readonly #items: T[] = [];
  /** Of the items, place by place: comparisons need not go through memory to each of them. */
  readonly #sizes: number[] = [];
  readonly #ages: number[] = [];

  get first(): T | undefined {
    return this.#items[0];
  }

  add(item: T): void {
    this.#rise(item, this.#items.length);
  }

  remove(item: T): void {
    const last = this.#items.pop();
    this.#sizes.pop();
    this.#ages.pop();
    if (last !== undefined && last !== item) this.#fit(last, item.place);
  }

  /** After its rank has changed. */
  update(item: T): void {
    this.#fit(item, item.place);
  }

  #fit(item: T, place: number): void {
    const risen = this.#rise(item, place);
    if (risen === place) this.#sink(item, place);
  }

  /** Where it comes to rest. */
  #rise(item: T, from: number): number {
    let at = from;
    while (at > 0) {
      const above = Math.floor((at - 1) / width);
      const parent = this.#items[above];
      if (parent === undefined || !this.#isBefore(item.size, item.age, above)) break;
      this.#put(parent, at);
      at = above;
    }
    this.#put(item, at);
    return at;
  }

  #sink(item: T, from: number): void {
    let at = from;
    for (;;) {
      const place = this.#firstBelow(at);
      const child = this.#items[place];
      if (child === undefined || this.#isBefore(item.size, item.age, place)) break;
      this.#put(child, at);
      at = place;
    }
    this.#put(item, at);
  }

  #firstBelow(at: number): number {
    const end = Math.min(width * (at + 1) + 1, this.#items.length);
    let first = width * at + 1;
    for (let other = first + 1; other < end; other++) {
      if (this.#isBefore(this.#sizes[other] ?? 0, this.#ages[other] ?? 0, first)) first = other;
    }
    return first;
  }

  #isBefore(size: number, age: number, place: number): boolean {
    const other = this.#sizes[place] ?? 0;
    return size === other ? age < (this.#ages[place] ?? 0) : size > other;
  }

  #put(item: T, place: number): void {
    this.#items[place] = item;
    this.#sizes[place] = item.size;
    this.#ages[place] = item.age;
    item.place = place;
  }
}
