// The bounds of the claims benchmark, by made-up results.
import { describe, expect, test } from 'vitest';
import { type Result, summarize } from '../statistics.ts';
import { judgeClaims, latencyBound, type Verdict } from './judge.ts';

const good: Result = {
  case: '300',
  count: 300,
  bursts: 1,
  p50_ms: 460,
  floor_p50_ms: 400,
  p90_ms: 900,
  floor_p90_ms: 800,
  p99_ms: 34,
  floor_p99_ms: 29,
  writes_per_claim: 10,
  conflicts: 0,
  cold_starts: 0,
  double_bindings: 0,
  rebound: 0,
  refill_ratio: 1.3,
  apiserver_ms_per_claim: 15,
};
const audit: Result = { path_writes_per_claim: 4, audited_conflicts: 0 };

const judged = (results: readonly Result[], audited?: Result, isObserved = true) =>
  judgeClaims(summarize(results), { isObserved }, audited);
const by = (verdict: Verdict['verdict'], all: readonly Verdict[]): readonly string[] =>
  all.filter((one) => one.verdict === verdict).map(({ figure }) => figure);

describe('The bound of a latency', () => {
  test('is 1.15 of the floor, and 5 ms above a floor of less than 30 ms', () => {
    expect(latencyBound(400)).toBeCloseTo(460);
    expect(latencyBound(30)).toBeCloseTo(34.5);
    expect(latencyBound(29)).toBe(34);
    expect(latencyBound(2)).toBe(7);
  });
});

describe('A case', () => {
  test('meets every bound that it reaches exactly', () => {
    expect(by('met', judged([good], audit))).toHaveLength(10);
  });

  test('misses each bound that it is above, alone', () => {
    const worse: Readonly<Record<string, number>> = {
      p50_ms: 460.1,
      p99_ms: 34.1,
      writes_per_claim: 10.01,
      conflicts: 1,
      cold_starts: 1,
      double_bindings: 1,
      rebound: 1,
      refill_ratio: 1.31,
      apiserver_ms_per_claim: 15.1,
    };
    const missed = Object.entries(worse).map(
      ([key, value]) => by('missed', judged([{ ...good, [key]: value }], audit)).length,
    );
    expect(missed).toEqual(Object.keys(worse).map(() => 1));
    expect(by('missed', judged([good], { ...audit, path_writes_per_claim: 4.01 }))).toEqual([
      'writes of a claim on its path',
    ]);
    expect(by('missed', judged([good], { ...audit, audited_writes_per_claim: 10.1 }))).toEqual([
      'writes of a claim with its refill',
    ]);
    expect(by('missed', judged([good], { ...audit, audited_conflicts: 1 }))).toEqual([
      'answers of 409',
    ]);
  });

  test('has one write less on the path without observability annotations', () => {
    expect(by('missed', judged([good], audit, false))).toEqual(['writes of a claim on its path']);
    expect(by('missed', judged([good], { ...audit, path_writes_per_claim: 3 }, false))).toEqual([]);
  });

  test('is judged by medians, but by the worst run where nothing may happen', () => {
    const runs = [good, good, { ...good, p50_ms: 9000, conflicts: 1 }];
    expect(by('missed', judged(runs, audit))).toEqual(['answers of 409']);
  });

  test('says what was not measured, which is not missed', () => {
    const { apiserver_ms_per_claim: _, refill_ratio: _ratio, ...embedded } = good;
    expect(by('not measured', judged([embedded]))).toEqual([
      'writes of a claim on its path',
      'refill, of the same alone',
      'CPU of the API server a claim, ms',
    ]);
    expect(by('missed', judged([embedded]))).toEqual([]);
  });

  test('of several bursts misses where P99 grows', () => {
    const bursts = { ...good, bursts: 10, p99_growth_ms: 30, p99_verdict: 'growing' };
    expect(by('missed', judged([bursts], audit))).toEqual(['growth of P99 over the bursts, ms']);
    expect(by('missed', judged([{ ...bursts, p99_verdict: 'flat' }], audit))).toEqual([]);
  });

  test('that fills a pool is held against the script by its time alone', () => {
    const fill = { case: 'fill', count: 0, fill_s: 11.5, floor_fill_s: 10 };
    expect(by('met', judged([fill]))).toEqual(['pool Ready, s']);
    expect(by('missed', judged([{ ...fill, fill_s: 11.6 }]))).toEqual(['pool Ready, s']);
  });
});
