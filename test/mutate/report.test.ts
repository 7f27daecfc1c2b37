// What is printed in the end: survivors with their diffs, rates by operator and folder.
import { describe, expect, it } from 'vitest';
import { type Judged, lineOf, rateOf, report } from './report.ts';
import type { Verdict } from './verdict.ts';

const judged = (operator: string, folder: string, verdict: Verdict): Judged => ({
  mutant: {
    ...{ id: `${operator}-1`, operator, folder, file: `${folder}/a.ts`, line: 7 },
    ...{ removed: ['if (a) return;'], added: [';'], start: 0, end: 1, text: ';' },
  },
  verdict,
});

const all = [
  judged('guard', 'bus', { outcome: 'killed', by: 'test/bus/a.test.ts is read' }),
  judged('guard', 'actors', { outcome: 'survived', tests: 'x' }),
  judged('order', 'bus', { outcome: 'timeout' }),
  judged('order', 'bus', { outcome: 'unreached', tests: 'y' }),
];

describe('The report', () => {
  it('shows survivors alone with their diff', () => {
    const lines = report(all);
    expect(lines.slice(0, 5)).toEqual([
      '',
      'guard-1 guard: survived',
      'actors/a.ts:7',
      '  - if (a) return;',
      '  + ;',
    ]);
    expect(lines.filter((line) => line.startsWith('  + '))).toHaveLength(2);
  });

  it('has the rate of each operator and folder', () => {
    const rows = report(all).map((line) => line.replaceAll(/\s+/g, ' '));
    expect(rows).toEqual(
      expect.arrayContaining([
        'guard 2 1 50.0 %',
        'order 2 1 50.0 %',
        'actors 1 0 0.0 %',
        'bus 3 2 66.7 %',
      ]),
    );
  });

  it('ends with the sum, and says how many ran out of time', () => {
    expect(report(all).at(-1)).toBe('mutants 4 killed 2, 50.0 %; by their time 1, equivalent 0');
    expect(rateOf(all)).toBe(0.5);
  });

  it('says of each mutant what has become of it', () => {
    expect(all.map(lineOf)).toEqual([
      'guard-1 guard bus/a.ts:7 killed by test/bus/a.test.ts is read',
      'guard-1 guard actors/a.ts:7 survived',
      'order-1 order bus/a.ts:7 killed by its time',
      'order-1 order bus/a.ts:7 survived, since no unit test comes there',
    ]);
  });
});
