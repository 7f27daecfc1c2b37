// The bounds of the inspector, and how the medians of a run stand to them.
import type { Result } from '../statistics.ts';

export interface Verdict {
  readonly what: string;
  readonly value: number;
  readonly bound: number;
  readonly isMet: boolean;
}

/** Of a batch, which a change waits for at most. */
const batchMs = 100;

/** By the key of a median: what it is, and its bound. */
export const viewersBounds: Readonly<Record<string, readonly [string, number]>> = {
  page_gzip_kb: ['JavaScript and CSS, kB gzip', 60],
  first_rows_ratio: ['first rows, times those of the bare page', 3],
  frame_p95_ratio: ['frames at scroll p95, times those of the bare page', 1.5],
  fact_to_paint_p95_ms: ['change to paint p95, ms with the batch', 150 + batchMs],
  trace_of_200_ms: ['a trace of 200 facts, ms', 100],
  stall_ratio: ['longest stall, times that without viewers', 2],
  viewer_idle_cpu_percent: ['an idle viewer, percent of a core', 1],
  deploy_change_percent: ['the deploy under all viewers, percent slower', 3],
};

/** Those that were measured. */
export const judgeViewers = (medians: Result): readonly Verdict[] =>
  Object.entries(viewersBounds).flatMap(([key, [what, bound]]) => {
    const value = medians[key];
    return typeof value === 'number' ? [{ what, value, bound, isMet: value <= bound }] : [];
  });

const rounded = (value: number): number => Math.round(value * 100) / 100;

/** What viewers changed, from a deploy without them and one with them. */
export function viewersCost(without: Result, watched: Result, count: number): Result {
  const of = (result: Result, key: string): number => Number(result[key]);
  return {
    stall_ratio: rounded(of(watched, 'longest_stall_ms') / of(without, 'longest_stall_ms')),
    deploy_change_percent: rounded((of(watched, 'ready_s') / of(without, 'ready_s') - 1) * 100),
    // Not judged: of the deploy it is what the machine's other work disturbs least.
    cpu_change_percent: rounded((of(watched, 'cpu_s') / of(without, 'cpu_s') - 1) * 100),
    viewer_idle_cpu_percent: rounded(
      (of(watched, 'idle_cpu_percent') - of(without, 'idle_cpu_percent')) / count,
    ),
  };
}
