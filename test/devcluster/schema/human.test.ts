// Ages as kubectl shows them: coarser the longer they are.
import { expect, test } from 'vitest';
import { age, humanDuration } from '#src/devcluster/schema/human.ts';

const durations: readonly (readonly [number, string])[] = [
  [-5, '<invalid>'],
  [0, '0s'],
  [119, '119s'],
  [120, '2m'],
  [185, '3m5s'],
  [600, '10m'],
  [3 * 3600, '3h'],
  [3 * 3600 + 61 * 10, '3h10m'],
  [9 * 3600 + 600, '9h'],
  [50 * 3600, '2d2h'],
  [10 * 86400, '10d'],
  [800 * 86400, '2y70d'],
  [9 * 365 * 86400, '9y'],
];

test.each(durations)('humanDuration of %i s is %s', (seconds, expected) => {
  expect(humanDuration(seconds * 1000)).toBe(expected);
});

test('The age of no time is <unknown>, of nonsense <invalid>', () => {
  expect(age(undefined, 0)).toBe('<unknown>');
  expect(age('soon', 0)).toBe('<invalid>');
  expect(age('1970-01-01T00:00:00Z', 5000)).toBe('5s');
});
