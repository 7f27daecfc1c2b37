// What a file of tests loads, and when what was measured of it is over.
import { describe, expect, it } from 'vitest';
import { parse } from '#test/tidy/sources.ts';
import { graphOf } from './graph.ts';
import { rounds } from './typecheck.ts';
import type { Mutant } from '../mutant.ts';

const files: Readonly<Record<string, string>> = {
  'test/a.test.ts': "import { b } from '#machines/b.ts';\nb();",
  'machines/b.ts':
    "import type { C } from './c.ts';\nimport { d } from './d.ts';\nexport const b = d as C;",
  'machines/c.ts': 'export type C = string;',
  'machines/d.ts': 'export const d = 1;',
  'machines/e.ts': 'export const e = 1;',
  'test/setup.ts': 'export {};',
};
const graph = (changed: Readonly<Record<string, string>> = {}, withTypes = false) =>
  graphOf(
    Object.entries({ ...files, ...changed }).map(([path, text]) => parse(path, text)),
    withTypes,
  );

const test = 'test/a.test.ts';

describe('A file of tests', () => {
  it('loads what it imports, over others too, and what runs before each file', () => {
    expect([...graph().loadedBy(test)].toSorted()).toEqual([
      'machines/b.ts',
      'machines/d.ts',
      'test/a.test.ts',
      'test/setup.ts',
    ]);
  });

  it('loads nothing for its types alone, unless that is asked for', () => {
    expect(graph().loadedBy(test).has('machines/c.ts')).toBe(false);
    expect(graph({}, true).loadedBy(test).has('machines/c.ts')).toBe(true);
  });

  it('is measured again where anything that it loads has changed, and then alone', () => {
    const hash = (changed: Readonly<Record<string, string>>) => {
      const { loadedBy, hashOf } = graph(changed);
      return hashOf(loadedBy(test));
    };
    expect(hash({ 'machines/d.ts': 'export const d = 2;' })).not.toBe(hash({}));
    expect(hash({ 'machines/e.ts': 'export const e = 2;' })).toBe(hash({}));
  });
});

describe('Mutants that are checked together', () => {
  it('are of different files', () => {
    const of = (file: string, id: string) => ({ file, id }) as Mutant;
    const batch = [of('a', '1'), of('a', '2'), of('b', '3'), of('a', '4')];
    const ids = rounds(batch).map((round) => round.map(({ id }) => id));
    expect(ids).toEqual([['1', '3'], ['2'], ['4']]);
  });
});
