// Which tests are nearest to a mutant by what they load.
import { describe, expect, it } from 'vitest';
import { parse } from '#test/tidy/sources.ts';
import type { Mutant } from '../mutant.ts';
import { nearestReach } from './nearest.ts';

const files: Readonly<Record<string, string>> = {
  'machines/grove/a.ts': 'export const a = 1;',
  'machines/grove/b.ts': "import { a } from './a.ts';\nexport const b = a;",
  'test/machines/far.test.ts': "import { b } from '#machines/grove/b.ts';\nb;",
  'test/machines/grove/a.test.ts': "import { a } from '#machines/grove/a.ts';\na;",
  'test/machines/grove/b.test.ts': "import { b } from '#machines/grove/b.ts';\nb;",
  'test/machines/grove/other.test.ts': 'export {};',
  'test/machines/other.test.ts': "import { a } from '#machines/grove/a.ts';\na;",
  'test/sim/days.test.ts': "import { a } from '#machines/grove/a.ts';\na;",
  'test/setup.ts': 'export {};',
};
const sources = Object.entries(files).map(([path, text]) => parse(path, text));
const mutant = { file: 'machines/grove/a.ts' } as Mutant;

describe('The tests that are nearest to a mutant', () => {
  it('load its file, the namesake first, then those of its folder, then by imports between', () => {
    expect(nearestReach(sources, 10).testsOf(mutant)).toEqual([
      'test/machines/grove/a.test.ts',
      'test/machines/grove/b.test.ts',
      'test/machines/other.test.ts',
      'test/machines/far.test.ts',
    ]);
  });

  it('are so many at most', () => {
    expect(nearestReach(sources, 2).testsOf(mutant)).toHaveLength(2);
  });

  it('are run without a mutant once, to see whether they judge it', async () => {
    const { isSound } = nearestReach(sources, 2);
    let runs = 0;
    const run = (): Promise<boolean> => {
      runs++;
      return Promise.resolve(false);
    };
    expect([await isSound('a', run), await isSound('a', run), await isSound('b', run)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(runs).toBe(2);
  });
});
