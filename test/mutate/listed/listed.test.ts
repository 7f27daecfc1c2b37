// The list of mutants stays a list of mutants: each changes a line that is there, and shows
// something that is said. That they make its tests fail is `npm run mutate -- --listed`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plantedBugs } from '#test/sim/planted/bugs.ts';
import { root } from '#test/support/source-copy.ts';
import { isSlow, patternOf, quickFiles, slowFiles } from './cited.ts';
import { listed } from './list.ts';
import { isShownBy, statements } from './statements.ts';

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

describe('A mutant that only whole processes or days can judge', () => {
  it('names what the test says when it fails', () => {
    const wrong = listed.filter(
      (mutant) =>
        'file' in mutant &&
        mutant.says === undefined &&
        known.some((one) => one.cites.every(isSlow) && isShownBy(one, mutant)),
    );
    expect(wrong.map(({ shows }) => shows)).toEqual([]);
  });
});

describe('Every sentence of docs/guarantees.md and every rule that a test shows', () => {
  it('has a mutant', () => {
    const bare = known.filter((one) => !listed.some((mutant) => isShownBy(one, mutant)));
    expect(bare.map(({ id }) => id)).toEqual([]);
  });
});

describe('What is cited', () => {
  it('is run by the files of tests that call it, the quick ones and those without a cluster', () => {
    const disruptions = { file: 'test/e2e/gangs/scenarios/disruptions.ts' };
    expect(quickFiles(disruptions)).toEqual(['test/e2e/gangs/embedded.test.ts']);
    expect(isSlow(disruptions)).toBe(false);
    const outage = { file: 'test/e2e/faults/scenarios/outage.ts' };
    expect(slowFiles(outage)).toEqual(['test/e2e/faults/long.test.ts']);
    expect(isSlow(outage)).toBe(true);
    expect(slowFiles({ file: 'test/e2e/real/kills.test.ts' })).toEqual([]);
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
