// Figures of the clique benchmark: when daemons agree, percentiles, what counts as a write, and how
// measurements become a column.
import { describe, expect, test } from 'vitest';
import { seeded } from '#test/support/virtual-clock.ts';
import { percentile } from '../statistics.ts';
import { agreedMs, columnOf, type Measured, timesOf, seenCounts, writeCounts } from './samples.ts';
import { shuffled } from './run.ts';

const agreed = (names: string, atMs: number) => ({ agreed: { names, atMs } });

describe('Daemons agree', () => {
  test('when the last of them holds the table that all hold', () => {
    expect(agreedMs([agreed('0=a', 5), agreed('0=a', 9)])).toBe(9);
  });

  test('never while one holds none, or another', () => {
    expect(agreedMs([agreed('0=a', 5), {}])).toBeUndefined();
    expect(agreedMs([agreed('0=a', 5), agreed('1=a', 9)])).toBeUndefined();
  });
});

test('Percentiles are values that were measured, by nearest rank', () => {
  const values = [50, 10, 30, 20, 40];
  expect([0, 50, 95, 99, 100].map((percent) => percentile(values, percent))).toEqual([
    10, 30, 50, 50, 50,
  ]);
  expect(percentile([7], 95)).toBe(7);
});

test('Times count from the last ask of a clique, and end with the cap', () => {
  const daemon = (clique: string, askMs: number, localMs?: number) => ({
    clique,
    askMs,
    ...agreed('0=a', 180),
    ...(localMs === undefined ? {} : { localMs }),
  });
  const seen = { versions: 1, shared: 0, outOfRange: 0, moved: 0, movedLive: 0 };
  const times = timesOf({
    capMs: 1000,
    daemons: [daemon('x', 100, 150), daemon('x', 120), daemon('y', 100, 400)],
    cliques: new Map([
      ['x', { ...seen, uniqueMs: 140.4, readyMs: 300 }],
      ['y', { ...seen, uniqueMs: 150 }],
    ]),
    domainsMs: 500,
  });
  expect(times).toMatchObject({
    unique: [20, 50],
    agree: [60, 80],
    ready: [180, 1000],
    local: [50, 1000, 300],
    domain: [380],
  });
});

test('Versions until tables are complete are told where all are', () => {
  const seen = { versions: 5, shared: 0, outOfRange: 0, moved: 0, movedLive: 0 };
  const whole = { ...seen, joinVersions: 2 };
  const counts = seenCounts(
    new Map([
      ['x', whole],
      ['y', { ...whole, joinVersions: 4 }],
    ]),
  );
  expect(counts).toMatchObject({ versions: 10, versions_join: 3, versions_join_most: 4 });
  expect(seenCounts(new Map([['x', seen]]))).not.toHaveProperty('versions_join');
});

test('Writes are counted by outcome, and questions are none', () => {
  const counts = writeCounts({
    'patch pods 200': 18,
    'create computedomaincliques 201': 1,
    'create computedomaincliques 409 AlreadyExists': 17,
    'update computedomaincliques 200': 30,
    'update computedomaincliques 2xx': 6,
    'update computedomaincliques 409 Conflict': 150,
    'apply computedomaincliques 422': 2,
    'apply computedomaincliques 429': 3,
    'list computedomaincliques 200': 18,
  });
  expect(counts).toEqual({
    writes: 227,
    writes_accepted: 55,
    clique_writes: 209,
    clique_writes_accepted: 37,
    refused_422: 2,
    throttled_429: 3,
    already_exists_409: 17,
    conflicts_409: 150,
  });
});

test('A column pools times of measurements that count, and has medians and spreads of counts', () => {
  const run = (ms: number, writes: number): Measured => ({
    times: { unique: [ms], agree: [ms], ready: [ms], local: [ms, ms], own: [ms], domain: [ms] },
    counts: { writes },
    requests: { 'patch pods 200': writes },
  });
  const column = columnOf([
    run(10, 4),
    run(30, 6),
    run(20, 8),
    { ...run(90, 99), isVoid: 'a watch broke' },
  ]);
  expect(column).toMatchObject({
    runs: 3,
    times: { agree: [10, 30, 20], local: [10, 10, 30, 30, 20, 20] },
    counts: { writes: [6, 4, 8] },
    requests: { 'patch pods 200': 6 },
    isVoid: ['a watch broke'],
  });
});

test('Each block has its own order of all strategies, the same for a seed', () => {
  const names = ['S1', 'S2', 'S3a', 'S4b'];
  const orders = [1, 2, 3, 4, 5].map((seed) => shuffled(names, seeded(seed)));
  expect(new Set(orders.map((order) => order.join())).size).toBeGreaterThan(1);
  for (const order of orders) expect(order.toSorted()).toEqual(names.toSorted());
  expect(shuffled(names, seeded(1))).toEqual(orders[0]);
});
