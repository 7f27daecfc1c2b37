// The gates of the benchmark of the activator as a proxy: what they are computed from, when one is
// missed, and what the report of wrk says.
import { describe, expect, it } from 'vitest';
import { type ContenderName, contenderNames } from './contenders/names.ts';
import { programs } from './contenders/programs.ts';
import { judge, type Measured, reported } from './gates.ts';
import type { Round, Rounds } from './measure.ts';
import { readWrk } from './wrk.ts';

type Change = Partial<Record<ContenderName, Round>>;

/** Three rounds of each; ours is as fast as the pipe. */
const rounds = (usual: Round, change: Change = {}): Rounds =>
  new Map(
    contenderNames.map((name) => {
      const round = { ...usual, ...change[name] };
      return [name, [round, round, round]];
    }),
  );

const closed: Round = { per_second: 1000, failed: 0 };
const open: Round = { p99_ms: 102, failed: 0, most_at_a_backend: 1 };
const slow = { 'http-proxy': { per_second: 500 } };

const measured = (inClosed: Change = {}, inOpen: Change = {}): Measured =>
  new Map([
    ['closed', rounds(closed, { ...slow, ...inClosed })],
    ['open', rounds(open, inOpen)],
  ]);

const missed = (all: Measured): readonly string[] =>
  judge(all).flatMap(({ what, isMet }) => (isMet ? [] : [what]));

describe('The gates of the activator as a proxy', () => {
  it('are met where all is well, and left out where nothing was measured', () => {
    expect(missed(measured())).toEqual([]);
    expect(judge(measured())).toHaveLength(17);
    expect(reported(measured()).map(([what]) => what)).toContain('ours to nginx, cc 0');
    expect(judge(new Map())).toEqual([]);
    expect(reported(new Map())).toEqual([]);
  });

  it.each<[string, Change, Change]>([
    ['pipe to fast-proxy', { 'fast-proxy': { per_second: 1100 } }, {}],
    ['pipe to fast-proxy by undici', { 'fast-proxy-undici': { per_second: 1100 } }, {}],
    [
      'ours to pipe, cc 0',
      { 'ours-cc0': { per_second: 840 }, 'http-proxy': { per_second: 1 } },
      {},
    ],
    ['ours to pipe, cc 10', { 'ours-cc10': { per_second: 790 } }, {}],
    ['ours to http-proxy, cc 0', { 'http-proxy': { per_second: 501 } }, {}],
    ['p99 of ours beyond that of the pipe, ms, cc 0', {}, { 'ours-cc0': { p99_ms: 104.1 } }],
    ['ours-cc1: requests that failed, closed', { 'ours-cc1': { failed: 1 } }, {}],
    ['ours-off: requests that failed, open', {}, { 'ours-off': { failed: 1 } }],
    ['ours-cc1: most at a backend', {}, { 'ours-cc1': { most_at_a_backend: 2 } }],
  ])('name what was missed: %s', (gate, inClosed, inOpen) => {
    expect(missed(measured(inClosed, inOpen))).toEqual([gate]);
  });

  it('take the median of the ratios of each round', () => {
    const of = (...rates: readonly number[]): readonly Round[] =>
      rates.map((per_second) => ({ per_second }));
    const all: Measured = new Map([
      [
        'closed',
        new Map([
          ['ours-cc0', of(10, 20, 90)],
          ['pipe', of(10, 10, 30)],
        ] as const),
      ],
    ]);
    expect(judge(all)).toEqual([
      { what: 'ours to pipe, cc 0', value: 2, bound: 'at least 0.85', isMet: true },
    ]);
  });

  it('have a program for each contender but the one without', () => {
    const none = contenderNames.filter((name) => programs[name] === undefined);
    expect(none).toEqual(['direct']);
  });
});

const report = `Running 2s test @ http://127.0.0.1:8080/
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     4.92ms    6.11ms  76.87ms   91.03%
  Latency Distribution
     50%    3.71ms
     75%  980.00us
     90%   10.00ms
     99%    1.20s
  26106 requests in 2.01s, 29.50MB read
  Socket errors: connect 1, read 2, write 0, timeout 4
  Non-2xx or 3xx responses: 10
Requests/sec:  13010.68
Transfer/sec:     14.70MB
`;

describe('The report of wrk', () => {
  it('is read with its units and all that failed', () => {
    expect(readWrk(report)).toEqual({
      requests: 26_106,
      per_second: 13_010.68,
      p50_ms: 3.71,
      p99_ms: 1200,
      failed: 17,
    });
  });

  it('is an error where it has no rate', () => {
    expect(() => readWrk('unable to connect')).toThrow('wrk says no rate: unable to connect');
  });
});
