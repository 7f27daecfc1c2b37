// What counts as growth over the cycles of a churn, and what does not.
import { describe, expect, test } from 'vitest';
import { seeded } from '#test/support/virtual-clock.ts';
import { judge } from './judge.ts';

/** Noise of so much to both sides around a line that grows by so much in all. */
function series(count: number, growth: number, noise: number): readonly number[] {
  const random = seeded(7);
  return Array.from(
    { length: count },
    (_, index) => 10 + (growth * index) / (count - 1) + noise * (2 * random.next() - 1),
  );
}

describe('A series', () => {
  test('that wavers is flat', () => {
    expect(judge(series(60, 0, 3), { absolute: 0.5 }).verdict).toBe('flat');
    expect(judge(series(60, 0, 0), { absolute: 0 }).verdict).toBe('flat');
  });

  test('that grows by more than is tolerated is growing, however it wavers', () => {
    const judged = judge(series(60, 4, 3), { absolute: 0.5 });
    expect(judged.verdict).toBe('growing');
    expect(Math.abs(judged.growth - 4)).toBeLessThan(judged.error);
    expect(judged.last).toBeGreaterThan(judged.first);
  });

  test('that grows by less than is tolerated is flat', () => {
    expect(judge(series(60, 0.4, 0), { absolute: 0.5 }).verdict).toBe('flat');
    expect(judge(series(60, 0.4, 0), { absolute: 0, relative: 0.05 }).verdict).toBe('flat');
    expect(judge(series(60, 0.6, 0), { absolute: 0, relative: 0.05 }).verdict).toBe('growing');
  });

  test('that shrinks is flat', () => {
    expect(judge(series(60, -4, 1), { absolute: 0 }).verdict).toBe('flat');
  });

  test('of which one is left in each cycle is growing where none may be', () => {
    const actors = Array.from({ length: 40 }, (_, index) => 78 + index);
    expect(judge(actors, { absolute: 0 })).toMatchObject({ growth: 39, verdict: 'growing' });
  });

  test('of a few cycles is not judged', () => {
    expect(judge([1, 2, 3, 4, 5], { absolute: 0 }).verdict).toBe('too few cycles');
  });
});
