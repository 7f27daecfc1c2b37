// The list of mutants stays a list of mutants: each changes a line that is there, and shows
// something that is said. That they make its tests fail is `npm run mutate -- --listed`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plantedBugs } from '#test/sim/planted/bugs.ts';
import { root } from '#test/support/source-copy.ts';
import { listed } from './list.ts';
import { isShownBy, isSlow, patternOf, statements } from './statements.ts';

const known = statements();

describe('A listed mutant', () => {
  it('changes a text that stands once in its file, or is planted in the simulator', () => {
    const wrong = listed.filter((mutant) =>
      'file' in mutant
        ? readFileSync(join(root, mutant.file), 'utf8').split(mutant.from).length !== 2
        : !plantedBugs.some(({ id }) => id === mutant.planted),
    );
    expect(wrong.map(({ shows }) => shows)).toEqual([]);
  });

  it('shows one statement by each text that it names', () => {
    const wrong = listed
      .flatMap(({ shows }) => shows)
      .filter((shows) => known.filter((one) => isShownBy(one, { shows })).length !== 1);
    expect(wrong).toEqual([]);
  });
});

/** Two lines hold it, each without the other: no pod is created in its place, and it is kept again
 *  where another one is missing. */
const heldTwice = 'A pod chosen for deletion keeps its index and its place';

describe('Every sentence of docs/guarantees.md', () => {
  it('has a mutant, unless whole processes or days alone show it', () => {
    const bare = known.filter(
      (one) =>
        one.kind === 'guarantees' &&
        !one.cites.every(isSlow) &&
        !listed.some((mutant) => isShownBy(one, mutant)),
    );
    expect(bare.map(({ id }) => id.slice(0, heldTwice.length))).toEqual([heldTwice]);
  });
});

describe('The pattern of a title', () => {
  it.each([
    ['is parked after five (10.1 rule 2)', 'Actor is parked after five (10.1 rule 2)'],
    ['is tried again after %i ms', 'It is tried again after 60000 ms'],
    ['that meets $name is made good', 'One that meets a 500 is made good'],
    ['${size} claims are Ready', 'All 300 claims are Ready'],
  ])('finds %s', (title, name) => {
    expect(name).toMatch(new RegExp(patternOf(title)));
    expect('another one').not.toMatch(new RegExp(patternOf(title)));
  });
});
