// What a sweep over the requests in flight says: the medians of each step as a table, and the knee
// of the curve, which is what the default of `clientConnection.maxInFlight` is chosen by.
import { type Result, summarize } from './statistics.ts';

const shown = [
  'created_s',
  'ready_s',
  'available_s',
  'gone_s',
  'writes',
  'conflicts',
  'controller_cpu_s',
  'apiserver_cpu_s',
] as const;

/** Medians by number in flight, in rising order. */
export interface SweepStep {
  readonly inFlight: number;
  readonly runs: number;
  readonly median: Readonly<Record<string, number>>;
}

export function sweepSteps(results: readonly Result[]): readonly SweepStep[] {
  return [...Map.groupBy(results, ({ in_flight }) => Number(in_flight))]
    .map(([inFlight, runs]) => {
      const { median } = summarize(runs);
      const numbers = shown.flatMap((key) => {
        const value = median[key];
        return typeof value === 'number' ? [[key, value] as const] : [];
      });
      return { inFlight, runs: runs.length, median: Object.fromEntries(numbers) };
    })
    .toSorted((a, b) => a.inFlight - b.inFlight);
}

/** Cells as texts, the headings first. */
export function sweepRows(steps: readonly SweepStep[]): readonly (readonly string[])[] {
  const keys = shown.filter((key) => steps.some(({ median }) => key in median));
  return [
    ['in flight', ...keys],
    ...steps.map(({ inFlight, median }) => [
      String(inFlight),
      ...keys.map((key) => String(median[key] ?? '')),
    ]),
  ];
}

/** More in flight that gains less than this on the best gains nothing. */
const kneeTolerance = 1.05;

/** The least number in flight that is within 5 % of the best time until all pods are ready. */
export function knee(steps: readonly SweepStep[]): number | undefined {
  const timeOf = ({ median }: SweepStep): number => median['ready_s'] ?? Number.POSITIVE_INFINITY;
  const best = Math.min(...steps.map(timeOf));
  return steps.find((step) => timeOf(step) <= best * kneeTolerance)?.inFlight;
}
