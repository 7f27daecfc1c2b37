// Latencies of claims as percentiles: raw, and as the original publishes them, which is what
// `histogram_quantile` makes of the buckets of its histogram (spec agent-sandbox 2.6.1, 5.5).
import { percentile, type Result } from '../statistics.ts';

export const percents = [50, 90, 99] as const;

/** Upper bounds in milliseconds: row A of spec 2.6.1. */
export const startupBuckets: readonly number[] = [
  100, 250, 500, 750, 1000, 1250, 1500, 2000, 2500, 5000, 10_000, 30_000, 60_000, 120_000, 240_000,
];

/** As Prometheus has it: linear within a bucket, the first begins at 0, and what lies beyond the
 *  last bound is taken for it. Observations are whole milliseconds. */
export function histogramQuantile(
  percent: number,
  latencies: readonly number[],
  bounds = startupBuckets,
): number {
  const observed = latencies.map(Math.floor);
  const upTo = (bound: number): number => observed.filter((ms) => ms <= bound).length;
  const rank = (percent / 100) * observed.length;
  let [lower, below] = [0, 0];
  for (const bound of bounds) {
    const count = upTo(bound);
    if (count > 0 && count >= rank) {
      return lower + ((bound - lower) * (rank - below)) / (count - below);
    }
    [lower, below] = [bound, count];
  }
  return observed.length === 0 ? Number.NaN : lower;
}

/** `p50_ms` to `max_ms`, and `bucket_p50_ms` for the same through the buckets. */
export const latencyKeys = (latencies: readonly number[]): Result => ({
  ...Object.fromEntries(
    percents.flatMap((percent) => [
      [`p${percent}_ms`, round(percentile(latencies, percent))],
      [`bucket_p${percent}_ms`, round(histogramQuantile(percent, latencies))],
    ]),
  ),
  max_ms: round(Math.max(...latencies)),
});

const round = (ms: number): number => Math.round(ms * 10) / 10;
