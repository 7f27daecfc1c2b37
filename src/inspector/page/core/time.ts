// Times for people: how long ago, when, how long. One tick a second moves all ages on the page, and
// none while nobody looks.
import { signal } from '@preact/signals';
import { serverNow } from './feed.ts';

export const tick = signal(Date.now());

export function startTicks(): void {
  setInterval(() => {
    if (!document.hidden) tick.value = serverNow();
  }, 1000);
}

const steps: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
];

/** `2h 5m`, `41s`, `120ms`. */
export function span(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))}ms`;
  const at = steps.findIndex(([, size]) => ms >= size);
  const [unit, size] = steps[at] ?? ['s', 1000];
  const [nextUnit, nextSize] = steps[at + 1] ?? ['', 0];
  const whole = Math.floor(ms / size);
  const rest = nextSize === 0 ? 0 : Math.floor((ms % size) / nextSize);
  return rest === 0 || whole >= 10 ? `${whole}${unit}` : `${whole}${unit} ${rest}${nextUnit}`;
}

/** With parts of a second, where it is short: how long something took. */
export const duration = (ms: number): string =>
  ms >= 1000 && ms < 10_000 ? `${(ms / 1000).toFixed(2)}s` : span(ms);

/** Since a moment; 0 stands for before the start of the process. */
export const age = (at: number, now: number): string =>
  at === 0
    ? 'earlier'
    : span(Math.max(0, Math.floor((now - at) / 1000) * 1000)).replace('0ms', '0s');

/** From now until then: `in 41s`. */
export const until = (at: number, now: number): string =>
  at > now ? `in ${span(Math.ceil((at - now) / 1000) * 1000)}` : 'now';

/** When a write that failed is sent again. */
export const again = (at: number | null): string =>
  at === null ? 'with a new spec' : until(at, tick.value);

const clockTime = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** `14:02:07.120` of the reader's zone. */
export const clock = (at: number): string =>
  `${clockTime.format(at)}.${String(at % 1000).padStart(3, '0')}`;
export const isoTime = (at: number): string => new Date(at).toISOString();
