// From the results of several runs to one: medians, and the spread from the least to the largest;
// and the ratios of a run to its floor.
import type { RequestCounts } from './requests.ts';

/** Flat keys with their units in the name; the request counts are the only maps. */
export type Result = Readonly<Record<string, number | string | RequestCounts>>;

export type Spread = Readonly<Record<string, readonly [number, number]>>;

export interface Summary {
  readonly runs: number;
  /** Medians under the keys of the runs; texts are those of the first run. */
  readonly median: Result;
  /** Least and largest of each number. */
  readonly spread: Spread;
}

const roundTo2 = (value: number): number => Math.round(value * 100) / 100;

/** Of an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  const lower = sorted[(sorted.length - 1) >> 1];
  if (upper === undefined || lower === undefined) throw new Error('no values, no median');
  return roundTo2((upper + lower) / 2);
}

/** By nearest rank. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}

/** A key that some runs lack is taken over those that have it. */
export function summarize(results: readonly Result[]): Summary {
  const keys = [...new Set(results.flatMap((result) => Object.keys(result)))];
  const numbers = (key: string): readonly number[] =>
    results.flatMap((result) => (typeof result[key] === 'number' ? [result[key]] : []));
  const spread = keys.flatMap((key) => {
    const values = numbers(key);
    return values.length === 0 ? [] : [[key, [Math.min(...values), Math.max(...values)] as const]];
  });
  return {
    runs: results.length,
    median: Object.fromEntries(keys.map((key) => [key, middle(results, key, numbers(key))])),
    spread: Object.fromEntries(spread),
  };
}

function middle(
  results: readonly Result[],
  key: string,
  values: readonly number[],
): number | string | RequestCounts {
  if (values.length > 0) return median(values);
  const maps = results.flatMap((result) => (typeof result[key] === 'object' ? [result[key]] : []));
  if (maps.length === 0) return String(results.find((result) => key in result)?.[key] ?? '');
  const keys = [...new Set(maps.flatMap((map) => Object.keys(map)))].toSorted();
  return Object.fromEntries(keys.map((one) => [one, median(maps.map((map) => map[one] ?? 0))]));
}

/** What a run took in terms of the floor of the same pair. */
export function ratios(result: Result, floor: Result): Result {
  const of = (key: string, unit = '_s'): Record<string, number> => {
    const [ours, least] = [result[`${key}${unit}`], floor[`floor_${key}${unit}`]];
    if (typeof ours !== 'number' || typeof least !== 'number' || least === 0) return {};
    return { [`${key}_ratio`]: roundTo2(ours / least) };
  };
  return {
    ...of('created'),
    ...of('ready'),
    ...of('gone'),
    ...of('update'),
    ...of('writes', ''),
  };
}
