// Medians, spreads, ratios and the knee of a sweep.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { median, ratios, summarize } from './statistics.ts';
import { knee, sweepRows, sweepSteps } from './sweep.ts';
import { aligned, requestTable, summaryTable } from './table.ts';

const numbers = fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 9 });

describe('median', () => {
  test('has as many values below as above, whatever the order', () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const middle = median(values);
        const below = values.filter((value) => value < middle).length;
        const above = values.filter((value) => value > middle).length;
        expect(Math.max(below, above)).toBeLessThanOrEqual(values.length / 2);
        expect(median(values.toReversed())).toBe(middle);
      }),
    );
  });

  test('of two values is their mean, to two decimals', () => {
    expect(median([1, 2])).toBe(1.5);
    expect(median([1.111, 1.112])).toBe(1.11);
  });
});

describe('summarize', () => {
  const runs = [
    { cluster: 'real', ready_s: 3, requests: { 'create pods 201': 4 } },
    { cluster: 'real', ready_s: 1, requests: { 'create pods 201': 8, 'get pods 200': 2 }, late: 7 },
    { cluster: 'real', ready_s: 2, requests: { 'create pods 201': 6 } },
  ];

  test('has the median and the spread of every number', () => {
    const { median: middle, spread, runs: count } = summarize(runs);
    expect(count).toBe(3);
    expect(middle).toMatchObject({ cluster: 'real', ready_s: 2 });
    expect(spread).toEqual({ ready_s: [1, 3], late: [7, 7] });
  });

  test('takes request counts one by one, none where a run had none', () => {
    expect(summarize(runs).median['requests']).toEqual({ 'create pods 201': 6, 'get pods 200': 0 });
  });

  test('of one run is that run', () => {
    const [run = {}] = runs;
    expect(summarize([run]).median).toEqual(run);
  });
});

test('The ratios are those of a run to the floor of its pair', () => {
  const floor = { floor_created_s: 10, floor_ready_s: 15.9, floor_gone_s: 10.1 };
  expect(ratios({ created_s: 12.07, ready_s: 16.8, gone_s: 9.3 }, floor)).toEqual({
    created_ratio: 1.21,
    ready_ratio: 1.06,
    gone_ratio: 0.92,
  });
  expect(ratios({ created_s: 1 }, {})).toEqual({});
});

describe('A sweep', () => {
  const results = [
    { in_flight: 32, ready_s: 14.8, writes: 3500 },
    { in_flight: 1, ready_s: 40, writes: 3500 },
    { in_flight: 8, ready_s: 15.4, writes: 3500 },
    { in_flight: 8, ready_s: 15.6, writes: 3600 },
    { in_flight: 4, ready_s: 19, writes: 3500 },
  ];

  test('has its knee where more in flight gains less than 5 %', () => {
    expect(knee(sweepSteps(results))).toBe(8);
    expect(knee([])).toBeUndefined();
  });

  test('is a table of medians in rising order, without columns that nobody measured', () => {
    expect(sweepRows(sweepSteps(results))).toEqual([
      ['in flight', 'ready_s', 'writes'],
      ['1', '40', '3500'],
      ['4', '19', '3500'],
      ['8', '15.5', '3550'],
      ['32', '14.8', '3500'],
    ]);
  });
});

describe('A table for the terminal', () => {
  test('lines its columns up', () => {
    expect(
      aligned([
        ['', 'a'],
        ['long', '10'],
        ['x', '1'],
      ]),
    ).toBe('       a\nlong  10\nx      1\n');
  });

  test('has medians and spreads of several runs, and no texts', () => {
    const summary = summarize([
      { cluster: 'real', ready_s: 1 },
      { cluster: 'real', ready_s: 3 },
    ]);
    expect(summaryTable(summary)).toBe(
      '         median  least  most\nready_s       2      1     3\n',
    );
  });

  test('has the most frequent request first', () => {
    const lines = requestTable({ 'get pods 200': 1, 'create pods 201': 40 }).split('\n');
    expect(lines[1]).toMatch(/^create pods 201 +40$/);
  });
});
