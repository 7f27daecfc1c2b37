// docs/guarantees.md names a test for each promise; this holds the page and the tests together.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

const promises = read('docs/guarantees.md')
  .split('\n')
  .filter((line) => line.startsWith('- '))
  .map((line) => {
    const [promise = '', proof] = line.slice(2).split(' — ');
    const [, file, title] = /^`([^`]+)`: (.+)$/.exec(proof ?? '') ?? [];
    return { promise, file, title };
  });

const unproved = [
  'Writes on different objects are not ordered. They are sent by priority, see below.',
];

describe('The page of guarantees', () => {
  it('names a test for every promise', () => {
    const without = promises.filter(({ title }) => title === undefined);
    expect(without.map(({ promise }) => promise)).toEqual(unproved);
    expect(promises.length).toBeGreaterThan(40);
  });

  it.each(promises.filter(({ title }) => title !== undefined))(
    'has the test it names for: $promise',
    ({ file = '', title = '' }) => {
      const text = read(file).replaceAll(/\s+/g, ' ');
      expect(text.includes(title), `${file} has no test titled: ${title}`).toBe(true);
    },
  );
});
