// Kubernetes quantities ("500m", "2Gi", "1e3"): reading them as numbers for comparison, and the
// canonical text that the API server stores. Used by pod rules, the scheduler and the node agent.
import { objectAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';

const decimal: Record<string, number> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binary: Record<string, number> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const shape = /^([+-]?)(\d+\.?\d*|\.\d+)(?:([eE][+-]?\d+)|([numkMGTPE]|[KMGTPE]i))?$/;

interface Parsed {
  /** In units of 10^-9, exact. */
  readonly nano: bigint;
  readonly binary: boolean;
}

function parse(value: unknown): Parsed | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  const match = typeof text === 'string' ? shape.exec(text) : null;
  if (match === null) return undefined;
  const [, sign = '', digits = '', exponent, suffix = ''] = match;
  const [before = '', after = ''] = digits.split('.');
  const power = exponent === undefined ? (decimal[suffix] ?? 0) : Number(exponent.slice(1));
  const shift = binary[suffix] ?? 0;
  if (Math.abs(power) > 40) return undefined;
  const mantissa = BigInt(before + after) << BigInt(shift);
  const scale = 9 + power - after.length;
  const nano = scale >= 0 ? mantissa * 10n ** BigInt(scale) : roundUp(mantissa, -scale);
  return { nano: sign === '-' ? -nano : nano, binary: shift > 0 };
}

/** Finer than a nano is rounded away from zero. */
function roundUp(mantissa: bigint, digits: number): bigint {
  const divisor = 10n ** BigInt(digits);
  return (mantissa + divisor - 1n) / divisor;
}

/** The value in base units (cores, bytes, pieces); undefined where the text is no quantity. */
export function quantityOf(value: unknown): number | undefined {
  const parsed = parse(value);
  return parsed === undefined ? undefined : Number(parsed.nano) / 1e9;
}

/** The text that the API server stores, e.g. `0.5` as `500m`, `1024Mi` as `1Gi`. */
export function canonicalQuantity(value: unknown): string | undefined {
  const parsed = parse(value);
  if (parsed === undefined) return undefined;
  const unit = 1_000_000_000n;
  if (parsed.nano === 0n) return '0';
  const magnitude = parsed.nano < 0n ? -parsed.nano : parsed.nano;
  if (parsed.binary && parsed.nano % unit === 0n && magnitude >= 1024n * unit) {
    return inUnits(parsed.nano / unit, 1024n, ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']);
  }
  return inUnits(parsed.nano, 1000n, ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E']);
}

function inUnits(value: bigint, step: bigint, suffixes: readonly string[]): string {
  let rest = value;
  let index = 0;
  while (index < suffixes.length - 1 && rest % step === 0n) {
    rest /= step;
    index++;
  }
  return `${rest}${suffixes[index]}`;
}

/** Rewrites the quantities of a resource list (`requests`, `capacity`, ...) in place. */
export function canonicaliseQuantities(object: JsonObject | undefined, key: string): void {
  const resources = objectAt(object, key);
  for (const [name, value] of Object.entries(resources ?? {})) {
    const text = canonicalQuantity(value);
    if (text !== undefined && resources !== undefined) resources[name] = text;
  }
}
