// What the pairs of a comparison say: median, spread and ratio of each figure, and which of them is
// worse by more than the limit. Pure; compare.ts measures, and its exit code hangs on this.
import { aligned } from '../table.ts';
import { median, type Result } from '../statistics.ts';

/** The same figures of both commits, measured one right after the other. */
export interface Pair {
  readonly base: Result;
  readonly head: Result;
}

interface Figure {
  /** A difference that small is noise, whatever the ratio; absent: shown and not gated. */
  readonly noise?: number;
}

export const figures: Readonly<Record<string, Figure>> = {
  created_s: { noise: 0.2 },
  ready_s: { noise: 0.2 },
  available_s: { noise: 0.2 },
  gone_s: { noise: 0.2 },
  writes: { noise: 3 },
  writes_gone: { noise: 3 },
  conflicts: { noise: 5 },
  controller_cpu_s: { noise: 0.2 },
  controller_cpu_deploy_s: { noise: 0.1 },
  controller_rss_mb: { noise: 8 },
  apiserver_cpu_s: {},
  cluster_cpu_s: {},
};

export interface Verdict {
  readonly figure: string;
  readonly base: Measured;
  readonly head: Measured;
  /** Of head to base: the median of the ratios of the pairs. Infinite where the base is 0. */
  readonly ratio: number;
  readonly isGated: boolean;
  readonly isWorse: boolean;
}

interface Measured {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** `limit` in percent. Figures that nobody measured are left out. */
export const verdicts = (pairs: readonly Pair[], limit: number): readonly Verdict[] =>
  Object.entries(figures).flatMap(([figure, { noise }]) => {
    const values = pairs.flatMap(({ base, head }) => {
      const [before, after] = [base[figure], head[figure]];
      return typeof before === 'number' && typeof after === 'number' ? [{ before, after }] : [];
    });
    if (values.length === 0) return [];
    const base = measured(values.map(({ before }) => before));
    const head = measured(values.map(({ after }) => after));
    const ratio = median(values.map(({ before, after }) => ratioOf(after, before)));
    const isGated = noise !== undefined;
    const isBeyondNoise = isGated && head.median - base.median > noise;
    // A machine with other work to do spreads both: what overlaps proves nothing.
    const isApart = head.least > base.most;
    const isWorse = isBeyondNoise && isApart && ratio > 1 + limit / 100;
    return [{ figure, base, head, ratio, isGated, isWorse }];
  });

const measured = (values: readonly number[]): Measured => ({
  median: median(values),
  least: Math.min(...values),
  most: Math.max(...values),
});

/** Nothing of both is as much of both. */
const ratioOf = (after: number, before: number): number => (after === before ? 1 : after / before);

export function verdictTable(rows: readonly Verdict[]): string {
  const cell = ({ median: middle, least, most }: Measured): string =>
    least === most ? String(middle) : `${middle} (${least} to ${most})`;
  return aligned([
    ['', 'base', 'head', 'ratio', ''],
    ...rows.map(({ figure, base, head, ratio, isGated, isWorse }) => [
      figure,
      cell(base),
      cell(head),
      String(ratio),
      isWorse ? 'WORSE' : isGated ? 'ok' : 'not gated',
    ]),
  ]);
}
