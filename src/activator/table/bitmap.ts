// A set of slot indices in two levels of bits, so that its next member is found without looking at
// each slot: for the holes of a table, of which the lowest is wanted, and for policies that take
// pods in the order of their slots.

/** One more than `count` bits need: so `next` may be asked from `length` on. */
const wordsFor = (count: number): number => (count >>> 5) + 1;

/** The first index of a word has its highest bit, so that `Math.clz32` finds the lowest index. */
const highest = 1 << 31;

export class Bitmap {
  #words = new Int32Array(0);
  /** A bit for each word that is not 0. */
  #summary = new Int32Array(0);
  /** Words of the summary below this one are 0. */
  #lowest = 0;

  /** Members are below `length` from now on; it never shrinks. */
  resize(length: number): void {
    const words = new Int32Array(wordsFor(length));
    const summary = new Int32Array(wordsFor(words.length));
    words.set(this.#words);
    summary.set(this.#summary);
    this.#words = words;
    this.#summary = summary;
  }

  add(index: number): void {
    const word = index >>> 5;
    const before = this.#words[word] ?? 0;
    this.#words[word] = before | (highest >>> (index & 31));
    if (before === 0) this.#addWord(word);
  }

  remove(index: number): void {
    const word = index >>> 5;
    const left = (this.#words[word] ?? 0) & ~(highest >>> (index & 31));
    this.#words[word] = left;
    if (left === 0) this.#removeWord(word);
  }

  /** -1 where there is none. */
  first(): number {
    for (let group = this.#lowest; group < this.#summary.length; group++) {
      const words = this.#summary[group] ?? 0;
      if (words === 0) continue;
      this.#lowest = group;
      return this.#firstOf((group << 5) | Math.clz32(words));
    }
    this.#lowest = this.#summary.length;
    return -1;
  }

  /** The lowest member that is not below `from`; -1 where there is none. */
  next(from: number): number {
    const word = from >>> 5;
    const rest = (this.#words[word] ?? 0) & (-1 >>> (from & 31));
    return rest === 0 ? this.#firstAfter(word) : (word << 5) | Math.clz32(rest);
  }

  #firstAfter(word: number): number {
    let group = word >>> 5;
    // Shifted in two steps: all 32 bits at once would be none.
    let words = (this.#summary[group] ?? 0) & ((-1 >>> (word & 31)) >>> 1);
    while (words === 0) {
      group += 1;
      if (group >= this.#summary.length) return -1;
      words = this.#summary[group] ?? 0;
    }
    return this.#firstOf((group << 5) | Math.clz32(words));
  }

  clear(): void {
    this.#words.fill(0);
    this.#summary.fill(0);
  }

  /** All members, in order. */
  members(): readonly number[] {
    const found: number[] = [];
    for (let index = this.next(0); index >= 0; index = this.next(index + 1)) found.push(index);
    return found;
  }

  #firstOf(word: number): number {
    return (word << 5) | Math.clz32(this.#words[word] ?? 0);
  }

  #addWord(word: number): void {
    const group = word >>> 5;
    this.#summary[group] = (this.#summary[group] ?? 0) | (highest >>> (word & 31));
    if (group < this.#lowest) this.#lowest = group;
  }

  #removeWord(word: number): void {
    const group = word >>> 5;
    this.#summary[group] = (this.#summary[group] ?? 0) & ~(highest >>> (word & 31));
  }
}
