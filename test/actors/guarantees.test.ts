// docs/guarantees.md names a test for each promise; this holds the page and the tests together.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readGuarantees } from '#test/support/guarantees.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

const promises = readGuarantees();

const unproved = [
  'Writes on different objects are not ordered. They are sent by priority, see below.',
];

describe('The page of guarantees', () => {
  it('names a test for every promise', () => {
    const without = promises.filter(({ title }) => title === undefined);
    expect(without.map(({ sentence }) => sentence)).toEqual(unproved);
    expect(promises.length).toBeGreaterThan(40);
  });

  it.each(promises.filter(({ title }) => title !== undefined))(
    'has the test it names for: $sentence',
    ({ file = '', title = '' }) => {
      const text = read(file).replaceAll(/\s+/g, ' ');
      expect(text.includes(title), `${file} has no test titled: ${title}`).toBe(true);
    },
  );
});
