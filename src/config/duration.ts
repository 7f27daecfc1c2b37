// Durations as Go writes them (`15s`, `1m30s`, `500ms`), which is how Grove's configuration has
// them.
import type { Field } from './field.ts';

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const whole = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/;
const parts = /(\d+(?:\.\d+)?)(ms|s|m|h)/g;

/** Milliseconds, or undefined for what is no duration. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (!whole.test(text)) return undefined;
  return [...text.matchAll(parts)].reduce(
    (sum, [, amount = '0', unit = 's']) => sum + Number(amount) * (units[unit] ?? 0),
    0,
  );
}

/** A duration of whole seconds above 0, decoded to seconds. */
export const seconds = (fallback: number, doc: string): Field<number> => ({
  type: 'a duration in whole seconds above 0, such as 15s',
  doc,
  fallback,
  decode(value, path, problems) {
    if (value === undefined || value === null) return fallback;
    const ms = typeof value === 'string' ? parseDuration(value) : undefined;
    if (ms !== undefined && ms > 0 && ms % 1_000 === 0) return ms / 1_000;
    problems.push({
      path,
      message: `${JSON.stringify(value)} is wrong, it must be ${this.type}`,
    });
    return fallback;
  },
});
