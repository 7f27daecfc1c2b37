// A set of slot indices in two levels of bits, so that its next member is found without looking at
// each slot: for the holes of a table, of which the lowest is wanted, and for policies that take
// pods in the order of their slots.

/** One more than `count` bits need: so `next` may be asked from `length` on. */
const wordsFor = (count: number): number => (count >>> 5) + 1;

/** The first index of a word has its highest bit, so that `Math.clz32` finds the lowest index. */
const highest = -0x8000_0000;

export class Bitmap {
  #words = new Int32Array(0);
  /** A bit for each word that is not 0, and for words that became 0 until a search meets them. */
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
    const words = this.#words;
    const word = index >>> 5;
    const before = words[word] ?? 0;
    words[word] = before | (highest >>> (index & 31));
    if (before === 0) this.#addWord(word);
  }

  remove(index: number): void {
    const words = this.#words;
    const word = index >>> 5;
    words[word] = (words[word] ?? 0) & ~(highest >>> (index & 31));
  }

  /** -1 where there is none. */
  first(): number {
    const index = this.#firstFrom(this.#lowest << 5);
    this.#lowest = index < 0 ? this.#summary.length : index >>> 10;
    return index;
  }

  /** The lowest member that is not below `from`; -1 where there is none. */
  next(from: number): number {
    const word = from >>> 5;
    const rest = (this.#words[word] ?? 0) & (-1 >>> (from & 31));
    return rest === 0 ? this.#firstFrom(word + 1) : (word << 5) | Math.clz32(rest);
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

  /** The lowest member that is not in a word before this one. */
  #firstFrom(from: number): number {
    let mask = -1 >>> (from & 31);
    for (let group = from >>> 5; group < this.#summary.length; group++) {
      let words = (this.#summary[group] ?? 0) & mask;
      while (words !== 0) {
        const word = (group << 5) | Math.clz32(words);
        const bits = this.#words[word] ?? 0;
        if (bits !== 0) return (word << 5) | Math.clz32(bits);
        words &= ~(highest >>> (word & 31));
        this.#removeWord(word);
      }
      mask = -1;
    }
    return -1;
  }

  #addWord(word: number): void {
    const summary = this.#summary;
    const group = word >>> 5;
    summary[group] = (summary[group] ?? 0) | (highest >>> (word & 31));
    if (group < this.#lowest) this.#lowest = group;
  }

  #removeWord(word: number): void {
    const group = word >>> 5;
    this.#summary[group] = (this.#summary[group] ?? 0) & ~(highest >>> (word & 31));
  }
}
