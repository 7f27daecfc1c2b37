// Equivalent mutants are told by their id: none is left of lines that are gone.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, root } from '#test/tidy/sources.ts';
import { equivalents } from './equivalent.ts';
import { allMutants } from './operators/table.ts';

describe('An equivalent mutant', () => {
  it('is one that is still drawn', () => {
    const files = [...new Set(equivalents.map(({ file }) => file))];
    const drawn = allMutants(
      files.map((file) => parse(file, readFileSync(join(root, file), 'utf8'))),
    );
    const ids = new Set(drawn.map(({ id }) => id));
    expect(equivalents.filter(({ id }) => !ids.has(id))).toEqual([]);
  });
});
