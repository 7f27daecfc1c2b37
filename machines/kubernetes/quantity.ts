// Amounts in Kubernetes' notation (`500m`, `1Gi`, `1e3`): read as numbers, so that one that the API
// server wrote in another way is seen to be the same. Used where lists with amounts are compared.
import { isEqual, isObject, own } from './json.ts';

const divisors: Readonly<Record<string, number>> = { n: 1e9, u: 1e6, m: 1e3 };

const factors: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** The number that a quantity stands for, or undefined where it is none. */
export function amountOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string') return undefined;
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+))([eE][+-]?\d{1,3}|[a-zA-Z]{0,2})$/.exec(value);
  const [, digits, suffix = ''] = match ?? [];
  if (digits === undefined) return undefined;
  if (/^[eE][+-]?\d/.test(suffix)) return Number(`${digits}${suffix}`);
  const divisor = divisors[suffix];
  // Dividing rounds once, as reading does: 700m and 0.7 give the same number.
  if (divisor !== undefined) return Number(digits) / divisor;
  const factor = factors[suffix];
  return factor === undefined ? undefined : Number(digits) * factor;
}

/** Deep equality of JSON values in which two notations of one amount are equal. */
export function isSameAmounts(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSameAmounts(item, b[index]));
  }
  if (isObject(a) && isObject(b)) {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...keys].every((key) => isSameAmounts(own(a, key), own(b, key)));
  }
  if (isEqual(a, b)) return true;
  const amount = amountOf(a);
  return amount !== undefined && amount === amountOf(b);
}
