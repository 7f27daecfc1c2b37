// Numbers to choose pods by: fast, seeded, and not for secrets. Each table has its own, from the
// seed of its options, so that a test repeats its choices. `Math.random` costs 9 ns more a choice.

/** Numbers that are thrown away at first: those of a small seed resemble each other. */
const warmUp = 8;

/** Up to this bound the lower half of the product, `Math.imul`, is as good as another number for a
 *  second choice: all are equally likely but for the product of both bounds / 2^32. */
export const maxShared = 1 << 13;

/** Marsaglia's xorshift with 32 bits: never 0, every other value once in 2^32 - 1 calls. */
export class Random {
  #state: number;

  /** A whole number from 0 to 2^32 - 1. */
  constructor(seed: number) {
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) || 1;
    for (let call = 0; call < warmUp; call++) this.next();
  }

  /** A 32-bit integer. */
  next(): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return state;
  }

  /** From 0 to `bound` - 1, for bounds up to 2^20; all are equally likely but for bound / 2^32. */
  below(bound: number): number {
    return upperHalf(this.next(), bound);
  }
}

/** Of the 64 bits of a product, without a division. Exact: a double holds 53 bits. */
export const upperHalf = (number: number, bound: number): number =>
  ((number >>> 0) * (bound * 2 ** -32)) | 0;
