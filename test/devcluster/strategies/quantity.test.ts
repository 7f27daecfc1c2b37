// Quantities: their values and the canonical text that the server stores.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalQuantity, quantityOf } from '#src/devcluster/strategies/quantity.ts';

describe('a quantity', () => {
  test.each([
    ['1', 1],
    ['500m', 0.5],
    ['1.5Gi', 1.5 * 2 ** 30],
    ['2k', 2000],
    ['1e3', 1000],
    ['100n', 1e-7],
    [4, 4],
  ])('%j is %d', (text, value) => {
    expect(quantityOf(text)).toBe(value);
  });

  test.each([['abc'], ['1 Gi'], ['1Kib'], [''], [null], ['--1']])('%j is none', (text) => {
    expect(quantityOf(text)).toBeUndefined();
  });

  test.each([
    ['0.5', '500m'],
    ['1000m', '1'],
    ['1024Mi', '1Gi'],
    ['1000', '1k'],
    [2, '2'],
    ['0', '0'],
    ['1.5Gi', '1536Mi'],
    ['512Gi', '512Gi'],
  ])('%j is stored as %j', (text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical);
  });

  test('the canonical form keeps the value and is its own canonical form', () => {
    const suffix = fc.constantFrom('', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), suffix, (digits, unit) => {
        const text = `${digits}${unit}`;
        const canonical = canonicalQuantity(text);
        expect(quantityOf(canonical)).toBe(quantityOf(text));
        expect(canonicalQuantity(canonical)).toBe(canonical);
      }),
    );
  });
});
