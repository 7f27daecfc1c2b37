// Cutting maps that are too large out of JSON before it is parsed.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxMapEntries } from '#machines/kubernetes/size.ts';
import { cutMaps, parseJson } from '#src/kube/transport/parse.ts';
import { anyText } from '#test/support/text.ts';

/** The same done to the parsed value. */
function cut(value: unknown, most: number): unknown {
  if (Array.isArray(value)) return value.map((item) => cut(item, most));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).slice(0, most);
  return Object.fromEntries(entries.map(([key, item]) => [key, cut(item, most)]));
}

/** JSON with as many and as odd keys as fast-check finds; integer keys would change places. */
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    anyText(),
    fc.constantFrom('"', '\\', '\\"', '{', '[,]', '}', null, 1.5, true),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(
      anyText().map((key) => `k${key}`),
      tie('value'),
      { maxKeys: 8 },
    ),
  ),
})).value;

describe('A map with too many entries', () => {
  it('loses those that are too many, and nothing else changes', () => {
    fc.assert(
      fc.property(
        json,
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom(0, 2),
        (value, most, space) => {
          const text = JSON.stringify(value, null, space);
          expect(JSON.parse(cutMaps(text, most))).toEqual(cut(JSON.parse(text), most));
        },
      ),
    );
  });

  it('is cut off where it is beyond what machines take, in a list too', () => {
    const labels = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, 'v']));
    const item = (name: string) => ({ metadata: { labels, name } });
    const parsed = parseJson(JSON.stringify({ items: [item('a'), item('b')], more: true }));
    expect(parsed).toMatchObject({
      items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }],
    });
    const [first] = (parsed as { items: ReturnType<typeof item>[] }).items;
    const entries = Object.keys(first?.metadata.labels ?? {}).length;
    expect(entries).toBe(4 * maxMapEntries);
  });
});

describe('What is no JSON', () => {
  it('is refused as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        const long = text + ' '.repeat(70_000);
        const isJson = (parse: () => unknown): boolean => {
          try {
            parse();
            return true;
          } catch {
            return false;
          }
        };
        expect(isJson(() => parseJson(long))).toBe(isJson(() => JSON.parse(long)));
      }),
    );
  });
});
