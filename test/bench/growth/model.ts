// A straight line through what was measured, and what it says of other sizes. Errors count by their
// share of the value, so that small sizes have as much to say as large ones. Pure.

export interface Line {
  /** At no pods. */
  readonly base: number;
  /** For each. */
  readonly slope: number;
}

interface Point {
  readonly pods: number;
  readonly value: number;
}

/** By least squares of relative errors. Throws where there are not two sizes. */
export function fitted(points: readonly Point[]): Line {
  if (new Set(points.map(({ pods }) => pods)).size < 2) throw new Error('a line needs two sizes');
  const weighted = points.map((point) => ({ ...point, weight: 1 / point.value ** 2 }));
  const total = (of: (point: (typeof weighted)[number]) => number): number =>
    weighted.reduce((so, point) => so + point.weight * of(point), 0);
  const weights = total(() => 1);
  const pods = total((point) => point.pods);
  const values = total((point) => point.value);
  const squares = total((point) => point.pods ** 2);
  const products = total((point) => point.pods * point.value);
  const slope = (weights * products - pods * values) / (weights * squares - pods ** 2);
  return { base: (values - slope * pods) / weights, slope };
}

export const at = ({ base, slope }: Line, pods: number): number => base + slope * pods;

/** The share by which a prediction misses what was measured. */
export const errorOf = (predicted: number, measured: number): number =>
  Math.abs(predicted - measured) / measured;
