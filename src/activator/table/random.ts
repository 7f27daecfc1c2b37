// Numbers to choose pods by: fast, seeded, and not for secrets. Each table has its own, from the
// seed of its options, so that a test repeats its choices. `Math.random` costs 9 ns more a choice.

/** Numbers that are thrown away at first: those of a small seed resemble each other. */
const warmUp = 8;

/** Bounds up to here multiply half of a number to 32 bits. */
const maxInteger = 1 << 16;

/** Two bounds up to here share a number. */
const maxShared = 1 << 13;

/** Marsaglia's xorshift with 32 bits: never 0, every other value once in 2^32 - 1 calls. */
export class Random {
  #state: number;
  /** Of the last product. */
  #rest = 0;

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
    const state = this.next();
    this.#rest = Math.imul(state, bound);
    return upperHalf(state, bound);
  }

  /** One more after `below`, which leaves this one the lower half of its product: by one number of
   *  the generator for both. All are equally likely but for the product of both bounds / 2^32, so
   *  large bounds get a number of their own. */
  andBelow(bound: number): number {
    return upperHalf(bound > maxShared ? this.next() : this.#rest, bound);
  }
}

/** Of the 64 bits of a product, without a division. */
function upperHalf(number: number, bound: number): number {
  if (bound > maxInteger) return ((number >>> 0) * bound * 2 ** -32) | 0;
  // By halves, in integers: the answer is there sooner than by floating point.
  const lower = Math.imul(number & 0xffff, bound) >>> 16;
  return (Math.imul(number >>> 16, bound) + lower) >>> 16;
}
