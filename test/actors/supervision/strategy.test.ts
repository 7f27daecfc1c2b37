// The supervision strategy as data: when a crash restarts, after which pause, and when it parks.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultStrategy, onCrash, pauseMs } from '#actors/supervision/strategy.ts';

const noJitter = { next: () => 0 };
const allJitter = { next: () => 0.999999 };

describe('A pause', () => {
  it('doubles from the least to the most', () => {
    const pauses = [1, 2, 3, 6, 7, 50].map((n) => pauseMs(defaultStrategy.backoff, n, noJitter));
    expect(pauses).toEqual([200, 400, 800, 6_400, 10_000, 10_000]);
  });

  it('loses at most its jitter to chance', () => {
    expect(pauseMs(defaultStrategy.backoff, 1, allJitter)).toBe(100);
  });
});

describe('A crash', () => {
  it('restarts up to the intensity within the window, and the next one parks', () => {
    let crashes: readonly number[] = [];
    const acts: string[] = [];
    for (let n = 0; n < 6; n++) {
      const verdict = onCrash(defaultStrategy, crashes, 1_000 * n, noJitter);
      crashes = verdict.crashes;
      acts.push(verdict.act);
    }
    expect(acts).toEqual(['restart', 'restart', 'restart', 'restart', 'restart', 'park']);
  });

  it('after a quiet window has the shortest pause again', () => {
    const verdict = onCrash(defaultStrategy, [0, 1, 2, 3, 4], 60_005, noJitter);
    expect(verdict).toEqual({ act: 'restart', pauseMs: 200, crashes: [60_005] });
  });

  it('never parks one that crashes at most five times in any window', () => {
    const gaps = fc.array(fc.integer({ min: 12_001, max: 50_000 }), { maxLength: 40 });
    fc.assert(
      fc.property(gaps, (list) => {
        let crashes: readonly number[] = [];
        let now = 0;
        for (const gap of list) {
          now += gap;
          const verdict = onCrash(defaultStrategy, crashes, now, noJitter);
          expect(verdict.act).toBe('restart');
          crashes = verdict.crashes;
        }
      }),
    );
  });

  it('keeps no more crashes than it needs', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 200_000 })), (times) => {
        let crashes: readonly number[] = [];
        for (const now of times.toSorted((a, b) => a - b)) {
          const verdict = onCrash(defaultStrategy, crashes, now, noJitter);
          crashes = verdict.act === 'park' ? [] : verdict.crashes;
          expect(crashes.length).toBeLessThanOrEqual(5);
        }
      }),
    );
  });
});
