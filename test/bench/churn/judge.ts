// Whether something grew over the cycles of a churn: by the slope of a line through all its values,
// with its error, and by how much it came to in the whole run. What wavers and does not grow is
// flat. Called by churn.ts with a series for each figure.

export interface Tolerance {
  /** Growth over the whole run that is none, in the unit of the values. */
  readonly absolute: number;
  /** The same as a share of the median of the first third; the larger of both counts. */
  readonly relative?: number;
}

export interface Judgement {
  /** Medians of the first and the last third. */
  readonly first: number;
  readonly last: number;
  /** Of the line from the first value to the last. */
  readonly growth: number;
  /** Half of the interval in which the growth lies with a confidence of 95 %. */
  readonly error: number;
  readonly verdict: 'flat' | 'growing' | 'too few cycles';
}

/** With fewer a line says nothing. */
const fewest = 6;

export function judge(values: readonly number[], tolerance: Tolerance): Judgement {
  const third = Math.ceil(values.length / 3);
  const first = middle(values.slice(0, third));
  const last = middle(values.slice(-third));
  if (values.length < fewest) {
    return { first, last, growth: last - first, error: Infinity, verdict: 'too few cycles' };
  }
  const { slope, slopeError } = lineThrough(values);
  const span = values.length - 1;
  const [growth, error] = [slope * span, slopeError * span];
  const allowed = Math.max(tolerance.absolute, (tolerance.relative ?? 0) * Math.abs(first));
  const isGrowing = growth - error > 0 && growth > allowed;
  return { first, last, growth, error, verdict: isGrowing ? 'growing' : 'flat' };
}

/** Least squares over the number of the cycle. */
function lineThrough(values: readonly number[]): { slope: number; slopeError: number } {
  const count = values.length;
  const meanX = (count - 1) / 2;
  const meanY = sum(values) / count;
  const spreadX = sum(values.map((_, x) => (x - meanX) ** 2));
  const slope = sum(values.map((y, x) => (x - meanX) * (y - meanY))) / spreadX;
  const rest = sum(values.map((y, x) => (y - meanY - slope * (x - meanX)) ** 2));
  return { slope, slopeError: student(count - 2) * Math.sqrt(rest / (count - 2) / spreadX) };
}

/** Two-sided 95 % of Student's distribution, within 2 % from four degrees of freedom on. */
const student = (degrees: number): number => 1.96 + 2.4 / degrees + 3.5 / degrees ** 2;

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [lower = 0, upper = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (lower + upper) / 2;
}
