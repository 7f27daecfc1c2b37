// Pauses that machines take by themselves: how they grow, and that no clock can prolong them.
import { describe, expect, it } from 'vitest';
import { isDue, isPauseOver, repeatAfter } from '#machines/deadline.ts';
import { lastRepeatMs } from '#machines/limits.ts';

const now = Date.UTC(2026, 0, 1);

describe('What is said again', () => {
  it('is due after 5 s, then after pauses that double up to the longest', () => {
    let repeat = repeatAfter(undefined, now);
    const pauses = [repeat.at - now];
    for (let times = 0; times < 6; times++) {
      repeat = repeatAfter(repeat, now);
      pauses.push(repeat.at - now);
    }
    expect(pauses).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
  });

  it('is due when its time has come and not before', () => {
    const repeat = repeatAfter(undefined, now);
    expect(isDue(repeat, repeat.at - 1)).toBe(false);
    expect(isDue(repeat, repeat.at)).toBe(true);
    expect(isDue(undefined, now)).toBe(false);
  });

  it('is due when the clock was set back by more than any pause', () => {
    const repeat = repeatAfter(undefined, now);
    expect(isDue(repeat, now - 3_600_000)).toBe(true);
    expect(isDue(repeat, repeat.at - lastRepeatMs)).toBe(false);
  });
});

describe('A pause', () => {
  it.each([
    ['that lies ahead', 10, false],
    ['whose end has come', 0, true],
    ['that is past', -10, true],
    ['that is longer than any', 101, true],
  ])('%s: %i ms ahead', (_what, ahead, expected) => {
    expect(isPauseOver(now + ahead, now, 100)).toBe(expected);
  });
});
