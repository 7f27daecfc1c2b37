// The numbers that policies draw: exactly the upper half of the product of a generator's number and
// the bound, by whichever way it is computed.
import { describe, expect, it } from 'vitest';
import { Random } from '#src/activator/table/random.ts';

describe('A number below a bound', () => {
  it.each([1, 2, 3, 7, 1_024, 5_000, 65_535, 65_536, 65_537, 1_048_576])(
    'is the upper half of a product: %i',
    (bound) => {
      const [one, same] = [new Random(5), new Random(5)];
      for (let draw = 0; draw < 1_000; draw++) {
        const expected = (BigInt(one.next() >>> 0) * BigInt(bound)) >> 32n;
        expect(same.below(bound)).toBe(Number(expected));
      }
    },
  );

  it.each([2, 100, 8_192])('is followed by one from the lower half: %i', (bound) => {
    const [one, same] = [new Random(6), new Random(6)];
    for (let draw = 0; draw < 1_000; draw++) {
      const product = BigInt(one.next() >>> 0) * BigInt(bound);
      same.below(bound);
      const expected = ((product & 0xffff_ffffn) * BigInt(bound - 1)) >> 32n;
      expect(same.andBelow(bound - 1)).toBe(Number(expected));
    }
  });

  it('is followed by one of its own where the bound is large', () => {
    const [one, same] = [new Random(6), new Random(6)];
    same.below(100_000);
    one.next();
    expect(same.andBelow(99_999)).toBe(one.below(99_999));
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
