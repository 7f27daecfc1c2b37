// The version of an event read from its line without parsing: right or not at all.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { handOver, versionInLine } from '#src/kube/watch/echo.ts';

const line = (type: string, object: unknown): string => JSON.stringify({ type, object });

describe('The version in a line', () => {
  test.each(['ADDED', 'MODIFIED'])('of an object that was %s is its own', (type) => {
    const metadata = { name: 'a', resourceVersion: '417', uid: 'u' };
    expect(versionInLine(line(type, { kind: 'Pod', metadata }))).toBe('417');
  });

  test.each([
    ['DELETED', { metadata: { resourceVersion: '7' } }],
    ['BOOKMARK', { metadata: { resourceVersion: '7' } }],
    ['ERROR', { code: 410 }],
    ['ADDED', { metadata: { name: 'a' } }],
    ['ADDED', { metadata: { resourceVersion: 'opaque' } }],
    ['ADDED', { metadata: { resourceVersion: '' } }],
    ['ADDED', { metadata: { annotations: { resourceVersion: '1' }, resourceVersion: '7' } }],
    ['ADDED', { metadata: { resourceVersion: '7' }, spec: { resourceVersion: '1' } }],
  ])('is not told of %s %j', (type, object) => {
    expect(versionInLine(line(type, object))).toBeUndefined();
  });

  test('is not told of what is no event', () => {
    for (const text of ['', '{}', '"resourceVersion":"7"', '{"type":"ADDED","resourceVersion":"7'])
      expect(versionInLine(text)).toBeUndefined();
  });

  test('is that of the object whatever its other fields and texts hold, or is not told', () => {
    const nasty = fc.oneof(
      fc.constantFrom(
        'resourceVersion',
        '"resourceVersion":"1"',
        '\\"resourceVersion":"2',
        'x"resourceVersion":"3',
        '","resourceVersion":"4","',
        '"',
        '\\',
      ),
      fc.string(),
    );
    const value = fc.jsonValue({ maxDepth: 2 });
    const field = fc.oneof(value, nasty, fc.dictionary(nasty, nasty, { maxKeys: 3 }));
    const object = fc.dictionary(nasty, field, { maxKeys: 4 });
    fc.assert(
      fc.property(object, object, fc.nat(), fc.boolean(), (around, within, version, isFirst) => {
        const own = { resourceVersion: String(version) };
        const { resourceVersion: _other, ...rest } = within;
        const metadata = isFirst ? { ...own, ...rest } : { ...rest, ...own };
        const told = versionInLine(line('MODIFIED', { ...around, metadata }));
        expect([undefined, String(version)]).toContain(told);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('An event that is parsed already', () => {
  const object = { metadata: { resourceVersion: '7' } };

  function events(isEcho?: (version: string) => boolean, type = 'ADDED'): unknown[] {
    const given: unknown[] = [];
    const sink = { event: (event: unknown) => given.push(event), closed: () => {} };
    handOver(isEcho === undefined ? sink : { ...sink, isEcho }, { type, object });
    return given;
  }

  test('is kept back when its version is known', () => {
    expect(events((version) => version === '7')).toEqual([]);
    expect(events((version) => version === '8')).toHaveLength(1);
  });

  test('is given to who does not ask, and when it is an end', () => {
    expect(events()).toHaveLength(1);
    expect(events(() => true, 'DELETED')).toHaveLength(1);
  });
});
