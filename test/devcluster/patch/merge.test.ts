// JSON merge patch against the table of RFC 7386, and JSON patch against the examples of RFC 6902.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '#machines/kubernetes/objects.ts';
import { jsonPatch } from '#src/devcluster/patch/json.ts';
import { mergePatch } from '#src/devcluster/patch/merge.ts';

const mergeTable: readonly (readonly [Json, Json, Json])[] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

describe('mergePatch', () => {
  test.each(mergeTable)('mergePatch of %j with %j gives %j (RFC 7386)', (target, patch, result) => {
    const before = structuredClone(target);
    expect(mergePatch(target, patch)).toEqual(result);
    expect(target).toEqual(before);
  });

  test('A merge patch that is applied twice changes nothing the second time', () => {
    const json = fc
      .jsonValue({ maxDepth: 3 })
      .map((value): Json => JSON.parse(JSON.stringify(value)));
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const once = mergePatch(target, patch);
        expect(mergePatch(once, patch)).toEqual(once);
      }),
    );
  });
});

const patchTable: readonly (readonly [string, Json, Json, Json])[] = [
  ['A.1', { foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { baz: 'qux', foo: 'bar' }],
  [
    'A.2',
    { foo: ['a', 'b'] },
    [{ op: 'add', path: '/foo/1', value: 'q' }],
    { foo: ['a', 'q', 'b'] },
  ],
  ['A.3', { baz: 'qux', foo: 'bar' }, [{ op: 'remove', path: '/baz' }], { foo: 'bar' }],
  ['A.4', { foo: ['a', 'q', 'b'] }, [{ op: 'remove', path: '/foo/1' }], { foo: ['a', 'b'] }],
  ['A.5', { baz: 'qux' }, [{ op: 'replace', path: '/baz', value: 'boo' }], { baz: 'boo' }],
  [
    'A.6',
    { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
    [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
    { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
  ],
  ['A.8', { baz: 'qux' }, [{ op: 'test', path: '/baz', value: 'qux' }], { baz: 'qux' }],
  [
    'A.10',
    { foo: 'bar' },
    [{ op: 'add', path: '/c', value: { d: {} } }],
    { foo: 'bar', c: { d: {} } },
  ],
  ['A.14', { '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: 10 }], { '/': 9, '~1': 10 }],
  [
    'A.16',
    { foo: ['bar'] },
    [{ op: 'add', path: '/foo/-', value: ['a'] }],
    { foo: ['bar', ['a']] },
  ],
];

const refusals: readonly (readonly [string, Json, unknown, RegExp])[] = [
  ['a patch that is no list', {}, { op: 'add' }, /must be a list/],
  ['an unknown op', {}, [{ op: 'put', path: '/a' }], /operation 0: op must be one of add/],
  ['a missing value', {}, [{ op: 'add', path: '/a' }], /operation 0: add needs "value"/],
  ['a path that is no pointer', {}, [{ op: 'remove', path: 'a' }], /JSON pointer/],
  ['a missing from', {}, [{ op: 'move', path: '/a' }], /move needs "from"/],
  [
    'the removal of nothing',
    { a: 1 },
    [{ op: 'remove', path: '/b' }],
    /operation 0 \(remove "\/b"\)/,
  ],
  ['a parent that is missing', { a: 1 }, [{ op: 'add', path: '/b/c', value: 1 }], /operation 0/],
  ['a failed test', { a: 1 }, [{ op: 'test', path: '/a', value: 2 }], /the test failed/],
  ['an index beyond the end', { a: [] }, [{ op: 'add', path: '/a/2', value: 1 }], /operation 0/],
];

describe('jsonPatch', () => {
  test.each(patchTable)('jsonPatch does example %s of RFC 6902', (_, target, patch, result) => {
    const before = structuredClone(target);
    expect(jsonPatch(target, patch)).toEqual({ value: result });
    expect(target).toEqual(before);
  });

  test.each(refusals)('jsonPatch refuses %s', (_, target, patch, reason) => {
    const result = jsonPatch(target, patch);
    expect('error' in result && result.error).toMatch(reason);
  });
});
