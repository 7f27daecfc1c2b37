// Times and durations as Kubernetes and Go write them.

/** Milliseconds since the epoch, of the clock port. */
export type EpochMs = number;

/** Milliseconds since the epoch of an RFC 3339 time, or undefined. */
export function epoch(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** RFC 3339 in UTC with whole seconds, as Kubernetes writes times. Most questions are for the
 *  second of the one before. */
export function rfc3339(ms: number): string {
  const second = Math.floor(Math.min(Math.max(ms, 0), 253402300799000) / 1000);
  if (second !== lastTime.second) {
    lastTime = { second, text: `${new Date(second * 1000).toISOString().slice(0, 19)}Z` };
  }
  return lastTime.text;
}

let lastTime = { second: 0, text: '1970-01-01T00:00:00Z' };

/** RFC 3339 with microseconds, as metav1.MicroTime travels. */
export const rfc3339Micro = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 23)}000Z`;

/** `in 3h59m0s, at 2026-01-01T04:00:00Z`. */
export function sayWhen(at: EpochMs, now: EpochMs): string {
  return `in ${sayDuration(Math.max(0, at - now))}, at ${rfc3339(at)}`;
}

/** Whole seconds in Go's notation: `5m0s`. */
export function sayDuration(ms: number): string {
  const left = Math.ceil(ms / 1000);
  const hours = Math.floor(left / 3600);
  const minutes = Math.floor(left / 60) % 60;
  const parts = [
    ...(hours > 0 ? [`${hours}h`] : []),
    ...(left >= 60 ? [`${minutes}m`] : []),
    `${left % 60}s`,
  ];
  return parts.join('');
}

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const whole = /^[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;

/** Of Go's notation (`4h0m0s`, `1.5h`, `500ms`): milliseconds, which may be negative, or undefined
 *  for what is no duration. */
export function durationMs(text: string): number | undefined {
  if (text === '0') return 0;
  if (!whole.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit = ''] of text.matchAll(part)) {
    total += Number(amount) * (unitMs[unit] ?? 0);
  }
  return text.startsWith('-') ? -total : total;
}
