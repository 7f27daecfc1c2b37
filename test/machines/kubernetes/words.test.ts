// Words of the safe alphabet by number, of which names are made.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wordCount, wordOf } from '#machines/kubernetes/hash.ts';

test('Words by number are all different, until every word had its turn', () => {
  const number = fc.nat({ max: wordCount(5) - 1 });
  fc.assert(
    fc.property(fc.string(), number, number, (seed, one, other) => {
      const words = [one, other].map((each) => wordOf(seed, each, 5));
      expect(words[0] === words[1]).toBe(one === other);
      expect(words[0]).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    }),
  );
  const few = Array.from({ length: wordCount(2) }, (_, each) => wordOf('seed', each, 2));
  expect(new Set(few).size).toBe(wordCount(2));
  expect(wordOf('seed', wordCount(2), 2)).toBe(few[0]);
});
