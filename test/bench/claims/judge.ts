// Whether claims are served as well as they can be: each figure of a case against its bound, by the
// medians of its runs, which for times is what the floor of the same pairs took. What must never
// happen is judged by its worst run. run.ts ends with 1 where something was missed.
import type { Result, Summary } from '../statistics.ts';

export interface Verdict {
  readonly figure: string;
  /** Empty where there is none. */
  readonly floor: string;
  readonly value: string;
  readonly bound: string;
  readonly verdict: 'met' | 'missed' | 'not measured';
}

export const bounds = {
  ratio: 1.15,
  /** A floor that is quicker than this is not a matter of shares any more. */
  shortMs: 30,
  shortSlackMs: 5,
  pathWrites: 4,
  pathWritesUnobserved: 3,
  writes: 10,
  refillRatio: 1.3,
  apiserverMs: 15,
} as const;

/** `isObserved`: claims carry observability annotations, which is a write more. */
export interface JudgeOptions {
  readonly isObserved: boolean;
}

export const latencyBound = (floorMs: number): number =>
  floorMs < bounds.shortMs ? floorMs + bounds.shortSlackMs : floorMs * bounds.ratio;

/** `audited`: of the run with an audit log, where there was one. */
export function judgeClaims(
  summary: Summary,
  { isObserved }: JudgeOptions,
  audited: Result = {},
): readonly Verdict[] {
  const { median } = summary;
  if (median['count'] === 0) return [againstFloor('pool Ready, s', 'fill_s', median)];
  const isRepeated = Number(median['bursts']) > 1;
  const path = isObserved ? bounds.pathWrites : bounds.pathWritesUnobserved;
  const most = (key: string): number | undefined => summary.spread[key]?.[1];
  return [
    ...[50, 90, 99].map((percent) => againstFloor(`P${percent}, ms`, `p${percent}_ms`, median)),
    atMost('writes of a claim on its path', audited['path_writes_per_claim'], path),
    ...(audited['unobserved_path_writes'] === undefined
      ? []
      : [atMost(unobserved, audited['unobserved_path_writes'], bounds.pathWritesUnobserved)]),
    atMost(
      'writes of a claim with its refill',
      audited['audited_writes_per_claim'] ?? median['writes_per_claim'],
      bounds.writes,
    ),
    atMost('answers of 409', worst(most('conflicts'), audited['audited_conflicts']), 0),
    atMost('cold starts', most('cold_starts'), 0),
    atMost('double bindings', worst(most('double_bindings'), most('rebound')), 0),
    atMost('refill, of the same alone', median['refill_ratio'], bounds.refillRatio),
    besideFloor(
      atMost(
        'CPU of the API server a claim, ms',
        median['apiserver_ms_per_claim'],
        bounds.apiserverMs,
      ),
      median['floor_apiserver_ms_per_claim'],
    ),
    ...(isRepeated ? [noGrowth(median)] : []),
  ];
}

const unobserved = 'the same without observability annotations';

/** Milliseconds by what a person notices, seconds by the ratio alone. */
function againstFloor(figure: string, key: string, median: Result): Verdict {
  const floor = median[`floor_${key}`];
  if (typeof floor !== 'number') return atMost(figure, median[key], undefined);
  const bound = key.endsWith('_ms') ? latencyBound(floor) : floor * bounds.ratio;
  return besideFloor(atMost(figure, median[key], bound), floor);
}

/** What the floor takes is shown, also where the bound is a number. */
const besideFloor = (verdict: Verdict, floor: Result[string] | undefined): Verdict =>
  typeof floor === 'number' ? { ...verdict, floor: plain(floor) } : verdict;

function atMost(
  figure: string,
  value: Result[string] | undefined,
  bound: number | undefined,
): Verdict {
  const isThere = typeof value === 'number' && bound !== undefined;
  return {
    figure,
    floor: '',
    value: typeof value === 'number' ? plain(value) : '',
    bound: bound === undefined ? '' : plain(bound),
    verdict: !isThere ? 'not measured' : value <= bound + rounding ? 'met' : 'missed',
  };
}

function noGrowth(median: Result): Verdict {
  const { p99_verdict: verdict, p99_growth_ms: growth } = median;
  return {
    figure: 'growth of P99 over the bursts, ms',
    floor: '',
    value: typeof growth === 'number' ? plain(growth) : '',
    bound: 'none',
    verdict: verdict === 'flat' ? 'met' : verdict === 'growing' ? 'missed' : 'not measured',
  };
}

const worst = (one: number | undefined, other: Result[string] | undefined): number | undefined => {
  const numbers = [one, other].filter((value) => typeof value === 'number');
  return numbers.length === 0 ? undefined : Math.max(...numbers);
};

/** Of a product of two decimals. */
const rounding = 1e-9;

const plain = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: 2 });

export const verdictRows = (verdicts: readonly Verdict[]): readonly (readonly string[])[] => [
  ['', 'floor', 'value', 'at most', ''],
  ...verdicts.map(({ figure, floor, value, bound, verdict }) => [
    figure,
    floor,
    value,
    bound,
    verdict,
  ]),
];
