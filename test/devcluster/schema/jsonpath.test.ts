// JSONPaths of printer columns: what kubectl and CRD authors write, and what is refused.
import { describe, expect, test } from 'vitest';
import { jsonPath, JsonPathError } from '#src/devcluster/schema/jsonpath.ts';

const root = {
  a: { b: [1, 2, 3], 'c.d': 'x', 'k/e': { y: true } },
  conditions: [
    { type: 'Ready', status: 'True', n: 2 },
    { type: 'Odd', status: 'False' },
  ],
};

const paths: readonly (readonly [string, unknown[]])[] = [
  ['.a.b', [[1, 2, 3]]],
  ['.a.b[0]', [1]],
  ['.a.b[-1]', [3]],
  ['.a.b[*]', [1, 2, 3]],
  ['.a.b[1:]', [2, 3]],
  ['.a.b[0:3:2]', [1, 3]],
  ['.a.c\\.d', ['x']],
  [".a['c.d']", ['x']],
  ['.a["k/e"].y', [true]],
  ['.conditions[?(@.type=="Ready")].status', ['True']],
  [".conditions[?(@.type == 'Odd')].status", ['False']],
  ['.conditions[?(@.type!="Ready")].type', ['Odd']],
  ['.conditions[?(@.n>1)].type', ['Ready']],
  ['.conditions[?(@.n)].type', ['Ready']],
  ['.conditions[*].type', ['Ready', 'Odd']],
  ['..status', ['True', 'False']],
  ['{.a.b[0]}', [1]],
  ['.missing.x', []],
  ['.a.b.x', []],
];

describe('jsonPath', () => {
  test.each(paths)('%s finds %j', (path, found) => {
    expect(jsonPath(path)(root)).toEqual(found);
  });

  test.each(['', '.a[', '.a[?(x)]', '.a[x]', '.a[?(@.b==)]'])('%j is refused', (path) => {
    expect(() => jsonPath(path)).toThrow(JsonPathError);
  });
});
