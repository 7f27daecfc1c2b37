// Wrapping of comments: widths, places where a line may not be joined, and nothing lost.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wrapComments } from '#src/launch/comments.mjs';

const wrap = (...lines: readonly string[]) => wrapComments(lines.join('\n'), 24).split('\n');

describe('wrapComments', () => {
  it('moves words to the next line of the same paragraph', () => {
    expect(wrap('// one two three four five six', '// seven')).toEqual([
      '// one two three four',
      '// five six seven',
    ]);
  });

  it('makes a line of its own before code, a blank, a list or another indent', () => {
    const long = '// one two three four five';
    for (const next of ['code();', '', '//', '// - item', '//    table', '  // deeper']) {
      expect(wrap(long, next)).toEqual(['// one two three four', '// five', next]);
    }
  });

  it('wraps blocks in the form that they have', () => {
    expect(wrap('/** one two three four five. */')).toEqual([
      '/** one two three four',
      ' *  five. */',
    ]);
    expect(wrap('  /** one two three four', '   *  five six seven eight. */')).toEqual([
      '  /** one two three four',
      '   *  five six seven',
      '   *  eight. */',
    ]);
    expect(wrap('/**', ' * one two three four five six', ' * seven', ' */')).toEqual([
      '/**',
      ' * one two three four',
      ' * five six seven',
      ' */',
    ]);
  });

  it('keeps the indent of an item of a list', () => {
    expect(wrap(' * - one two three four five', ' *   six', ' */')).toEqual([
      ' * - one two three four',
      ' *   five six',
      ' */',
    ]);
  });

  it('leaves alone what fits, what is code and a word that cannot be broken', () => {
    const lines = [
      '// fits',
      'call(one, two, three, four); // five',
      `// ${'x'.repeat(40)}`,
      "const text = '// one two three four five six';",
    ];
    expect(wrap(...lines)).toEqual(lines);
  });

  it('keeps every word in order, keeps the width, and is done at once', () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/);
    const comment = fc
      .tuple(fc.constantFrom('//', '  //', '/**', ' *'), fc.array(word, { minLength: 1 }))
      .map(([mark, words]) => `${mark} ${words.join(' ')}`);
    const code = fc.constantFrom('', 'code();', '//', ' */');
    fc.assert(
      fc.property(fc.array(fc.oneof(comment, code)), (lines) => {
        const text = lines.join('\n');
        const wrapped = wrapComments(text, 24);
        const words = (all: string) => all.match(/[a-z]+/g) ?? [];
        expect(words(wrapped)).toEqual(words(text));
        expect(wrapped.split('\n').every((line) => line.length <= 24)).toBe(true);
        expect(wrapComments(wrapped, 24)).toBe(wrapped);
      }),
    );
  });
});
