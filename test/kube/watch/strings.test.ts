// Strings of objects are shared, and nobody can tell.
import { describe, expect, test } from 'vitest';
import { shareStrings } from '#src/kube/watch/strings.ts';

/** Another string each time, as a parser makes it. */
const parsed = (text: string): unknown => JSON.parse(text);

describe('shared strings', () => {
  test('leave an object as it was', () => {
    const text = JSON.stringify({
      metadata: { name: 'a', labels: { a: 'b', __proto__: 'c' }, resourceVersion: '12' },
      spec: { list: ['x', { y: 'z' }, 3, null, true], long: 'l'.repeat(500), empty: '' },
    }).replace('"a":"b"', '"a":"b","__proto__":"c"');
    const shared = shareStrings(Object(parsed(text)));
    expect(JSON.stringify(shared)).toBe(text);
    expect(Object.hasOwn(shared.metadata.labels, '__proto__')).toBe(true);
  });

  test('leave what is frozen alone, and forget what nobody has', () => {
    const frozen = Object.freeze({ a: 'b', inner: Object.freeze(['c']) });
    expect(shareStrings({ status: frozen })).toEqual({ status: { a: 'b', inner: ['c'] } });
    const hundred = (n: number): string[] =>
      Array.from({ length: 100 }, (_, k) => `name-${n}-${k}`);
    const many = Array.from({ length: 500 }, (_, n) => hundred(n));
    const copy = (): string[][] => many.map((one) => [...one]);
    for (const one of [...copy(), ...copy()]) shareStrings({ status: one });
    expect(shareStrings({ status: copy() })).toEqual({ status: many });
  });

  test('are taken from objects of any depth', () => {
    const levels = 100_000;
    const text = `{"status":${'{"a":'.repeat(levels)}"b"${'}'.repeat(levels)}}`;
    expect(() => shareStrings(Object(parsed(text)))).not.toThrow();
  });
});
