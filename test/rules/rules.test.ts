// The hard cases of the spec are not forgotten: each has a test that carries its number, or a
// reason why not.
import { describe, expect, it } from 'vitest';
import { deviations } from './deviations.ts';
import { activatorIds, idsIn, testsOfRules } from './find.ts';
import { rules } from './table.ts';

describe('The hard cases', () => {
  it('are numbered as the spec has them', () => {
    expect(rules.filter(({ id }) => id.startsWith('rule'))).toHaveLength(58);
    expect(rules.filter(({ id }) => id.startsWith('gap'))).toHaveLength(30);
    expect(rules.filter(({ id }) => id.startsWith('scenario'))).toHaveLength(16);
    expect(rules.filter(({ id }) => id.startsWith('A-'))).toHaveLength(102);
    expect(rules.filter(({ id }) => id.startsWith('HC-'))).toHaveLength(76);
    expect(rules.filter(({ id }) => id.startsWith('Q-'))).toHaveLength(29);
    expect(rules.filter(({ id }) => id.startsWith('R-'))).toHaveLength(31);
    expect(rules.filter(({ id }) => id.startsWith('P-'))).toHaveLength(23);
    expect(rules.filter(({ id }) => id.startsWith('B-'))).toHaveLength(26);
    expect(rules.filter(({ id }) => id.startsWith('H-'))).toHaveLength(149);
    const ofSandboxes = rules.flatMap(({ id }) => /^([A-Z])\d+$/.exec(id)?.[1] ?? []);
    const counts = { R: 72, H: 1, S: 7, P: 12, C: 10, Q: 29, M: 2, K: 6, G: 15 };
    expect(Object.groupBy(ofSandboxes, (letter) => letter)).toEqual(
      Object.fromEntries(
        Object.entries(counts).map(([letter, n]) => [letter, Array(n).fill(letter)]),
      ),
    );
  });

  it('are shown on the embedded cluster and on a real one where they are scenarios', () => {
    const tests = testsOfRules();
    const scenarios = rules.filter(({ id }) => id.startsWith('scenario'));
    const isReal = ({ file }: { readonly file: string }): boolean =>
      /^test\/e2e\/(real\/|.*real\.test)/.test(file);
    const half = scenarios.filter(({ id }) => {
      const shown = tests.get(id) ?? [];
      return !shown.some(isReal) || shown.every(isReal);
    });
    expect(half.map(({ id }) => id)).toEqual([]);
  });

  it('each have a test that carries their number, or a reason, and not both', () => {
    const tests = testsOfRules();
    const wrong = rules
      .filter(({ id, without }) => tests.has(id) === (without !== undefined))
      .map(({ id, text }) => `${id}: ${text}`);
    expect(wrong).toEqual([]);
  });

  it('are known wherever a title carries a number', () => {
    const known = new Set(rules.map(({ id }) => id));
    expect([...testsOfRules().keys()].filter((id) => !known.has(id))).toEqual([]);
  });

  it('are known wherever a deviation is about one, and each has one at most', () => {
    const numbers = deviations.map(({ of }) => of).filter((of) => !of.startsWith('spec '));
    const told = rules.filter(({ deviation }) => deviation !== undefined).map(({ id }) => id);
    expect(told.toSorted()).toEqual(numbers.toSorted());
  });

  it('are read from titles with one number or several', () => {
    expect(idsIn('does this (10.1 rules 4, 5 and 6; 10.2 gap 7)')).toEqual([
      'rule 4',
      'rule 5',
      'rule 6',
      'gap 7',
    ]);
    const ids = ['R5', 'Q12', 'Q13', 'Q14', 'C4'];
    expect(idsIn('does that (2.3.8, R5), not P50 (Q12 to Q14 and C4; 5 histories)')).toEqual(ids);
    expect(activatorIds('keeps (P-11 to P-13, R-1)')).toEqual(['P-11', 'P-12', 'P-13', 'R-1']);
  });
});
