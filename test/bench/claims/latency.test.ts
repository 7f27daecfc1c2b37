// Percentiles of claims, raw and through the buckets of the original.
import { describe, expect, test } from 'vitest';
import { histogramQuantile, latencyKeys, startupBuckets } from './latency.ts';

const repeat = (count: number, ms: number): number[] => Array.from({ length: count }, () => ms);
const quantiles = (latencies: readonly number[]): number[] =>
  [50, 90, 99].map((percent) => Math.round(histogramQuantile(percent, latencies) * 10) / 10);

describe('The quantile of a histogram', () => {
  test('is what the original published for the shares that spec 5.5 works out', () => {
    expect(quantiles([...repeat(508, 70), ...repeat(492, 200)])).toEqual([98.4, 219.5, 247]);
    const burst = [...repeat(44, 70), ...repeat(933, 200), ...repeat(23, 400)];
    expect(quantiles(burst)).toEqual([173.3, 237.6, 391.3]);
  });

  test('reads 50, 90 and 99 where all lie within the first bucket', () => {
    expect(quantiles(repeat(300, 3))).toEqual([50, 90, 99]);
    expect(quantiles([100.9])).toEqual([50, 90, 99]);
  });

  test('is the last bound for what lies beyond it, and nothing for nothing', () => {
    expect(quantiles([300_000])).toEqual(Array(3).fill(startupBuckets.at(-1)));
    expect(quantiles([])).toEqual([NaN, NaN, NaN]);
  });

  test('passes over empty buckets', () => {
    expect(histogramQuantile(50, [10, 9000])).toBe(100);
    expect(histogramQuantile(75, [10, 9000])).toBe(7500);
  });
});

describe('Latencies', () => {
  test('are told by nearest rank and through the buckets', () => {
    const latencies = Array.from({ length: 100 }, (_, index) => index + 1.04);
    expect(latencyKeys(latencies)).toEqual({
      p50_ms: 50,
      bucket_p50_ms: 50,
      p90_ms: 90,
      bucket_p90_ms: 90,
      p99_ms: 99,
      bucket_p99_ms: 99,
      max_ms: 100,
    });
  });
});
