// What holds for all files of the activator: nothing is kept outside of what is constructed, so no
// test can leave anything behind for another one, and no two revisions share what they should not.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path));

it('No module of the activator has a variable of its own (R-10)', () => {
  const files = [...filesIn('machines/activator'), ...filesIn('src/activator')];
  expect(files.length).toBeGreaterThan(30);
  const variable = /^(?:export )?(?:let|var) /m;
  const text = (path: string): string => readFileSync(join(root, path), 'utf8');
  expect(files.filter((path) => variable.test(text(path)))).toEqual([]);
});
