// Durations in Go's notation: what is one, what is none, and how many milliseconds it has.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { durationMs } from '#machines/kubernetes/time.ts';

it.each([
  ['0', 0],
  ['4h0m0s', 14_400_000],
  ['1.5h', 5_400_000],
  ['.5s', 500],
  ['1m30s', 90_000],
  ['250ms', 250],
  ['3us', 0.003],
  ['3µs', 0.003],
  ['-2s', -2000],
  ['+2s', 2000],
])('A duration of %s is %d ms', (text, ms) => {
  expect(durationMs(text)).toBeCloseTo(ms, 9);
});

it.each(['', '4', '4 h', 'h', '4hours', '1h-2m', '--1s', '1d', '1,5h', '1s 2s', '1e3s'])(
  'What is no duration is none: "%s"',
  (text) => {
    expect(durationMs(text)).toBeUndefined();
  },
);

it('A duration of parts is their sum', () => {
  const amount = fc.integer({ min: 0, max: 1000 });
  fc.assert(
    fc.property(amount, amount, amount, (h, m, s) => {
      expect(durationMs(`${h}h${m}m${s}s`)).toBe(((h * 60 + m) * 60 + s) * 1000);
    }),
  );
});
