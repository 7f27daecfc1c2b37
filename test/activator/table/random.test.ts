// The numbers that policies draw: exactly the upper half of the product of a generator's number and
// the bound.
import { describe, expect, it } from 'vitest';
import { Random, upperHalf } from '#src/activator/table/random.ts';

describe('A number below a bound', () => {
  it.each([1, 2, 3, 7, 1_024, 5_000, 65_535, 65_536, 65_537, 1_048_576])(
    'is the upper half of a product: %i',
    (bound) => {
      const [one, same] = [new Random(5), new Random(5)];
      for (let draw = 0; draw < 1_000; draw++) {
        const product = BigInt(one.next() >>> 0) * BigInt(bound);
        expect(same.below(bound)).toBe(Number(product >> 32n));
      }
    },
  );

  it.each([1, 2, 99, 8_191, 1_048_576])('of the largest numbers stays below: %i', (bound) => {
    expect(upperHalf(-1, bound)).toBe(bound - 1);
    expect(upperHalf(0, bound)).toBe(0);
  });

  it('comes from the seed alone, and small seeds differ', () => {
    const drawn = (seed: number): readonly number[] => {
      const random = new Random(seed);
      return Array.from({ length: 4 }, () => random.below(1_000));
    };
    expect(drawn(7)).toEqual(drawn(7));
    expect(new Set([0, 1, 2, 3].flatMap(drawn)).size).toBeGreaterThan(12);
  });
});
