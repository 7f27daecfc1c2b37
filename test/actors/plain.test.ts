// Plain JSON: copies of messages and equality of statuses.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyMessage } from '#actors/plain.ts';
import { isEqual } from '#machines/json.ts';

describe('A copied message', () => {
  it('equals what JSON would have carried, and is frozen all the way down', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (fields) => {
        const message = { ...fields, type: 'm' };
        const copy = copyMessage(message, 10_000);
        expect(JSON.stringify(copy['type'])).toBe('"m"');
        expect(isEqual(copy, JSON.parse(JSON.stringify(message)))).toBe(true);
        expect(isDeepFrozen(copy)).toBe(true);
      }),
    );
  });

  it('shares nothing with the original', () => {
    const list = [1, { a: 2 }];
    const copy = copyMessage({ type: 'm', list }, 100);
    list.push(3);
    expect(copy['list']).toEqual([1, { a: 2 }]);
  });

  it('carries a field of any name, and no prototype', () => {
    const copy = copyMessage({ type: 'm', value: JSON.parse('{"__proto__":{"a":1}}') }, 10);
    expect(JSON.stringify(copy)).toBe('{"type":"m","value":{"__proto__":{"a":1}}}');
  });

  it('leaves out what is undefined', () => {
    expect(copyMessage({ type: 'm', a: undefined }, 10)).toEqual({ type: 'm' });
  });

  const bad: [string, unknown, string][] = [
    ['a function', () => 1, 'm.f: a function is not JSON'],
    ['a Map', { a: new Map() }, 'm.f.a: only plain objects'],
    ['a Date', [new Date(0)], 'm.f[0]: only plain objects'],
    ['NaN', Number.NaN, 'm.f: NaN is not JSON'],
    ['a bigint', 1n, 'm.f: a bigint is not JSON'],
    ['too much', Array.from({ length: 200 }, () => 0), 'the message is too large'],
  ];
  it.each(bad)('with %s is refused as a bug of the sender', (_what, f, text) => {
    expect(() => copyMessage({ type: 'm', f }, 100)).toThrow(text);
  });
});

describe('isEqual', () => {
  it('is true of a value and its journey through JSON, in any order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'medium' }), (value) => {
        const copy: unknown = JSON.parse(JSON.stringify(value));
        expect(isEqual(copy, JSON.parse(JSON.stringify(copy)))).toBe(true);
      }),
    );
    expect(isEqual({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true);
  });

  it('agrees with comparison of texts of sorted JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), fc.jsonValue({ maxDepth: 2 }), (a, b) => {
        const [left, right]: unknown[] = JSON.parse(JSON.stringify([a, b]));
        expect(isEqual(left, right)).toBe(sorted(left) === sorted(right));
      }),
    );
  });

  it('takes undefined fields as absent', () => {
    expect(isEqual({ a: undefined, b: 1 }, { b: 1 })).toBe(true);
    expect(isEqual({ b: 1 }, { b: 1, c: undefined })).toBe(true);
    expect(isEqual({ b: 1 }, { b: 1, c: null })).toBe(false);
    expect(isEqual({ a: undefined }, { b: 1 })).toBe(false);
  });

  it.each([
    [[], {}],
    [[1, 2], [1]],
    [null, {}],
    [0, false],
    ['1', 1],
  ])('tells %j from %j', (a, b) => {
    expect(isEqual(a, b)).toBe(false);
  });
});

/** JSON text with sorted keys. */
function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, each]) => `${JSON.stringify(name)}:${sorted(each)}`,
  );
  return `{${fields.toSorted().join()}}`;
}

function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeepFrozen);
}
