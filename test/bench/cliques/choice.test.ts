// The choice of indices without a server: first and next index, and how many rounds and writes many
// daemons need that all act on the same version, against the figures that arithmetic gives.
import { describe, expect, test } from 'vitest';
import { seeded } from '#test/support/virtual-clock.ts';
import { type Choice, firstIndex, lowestFree, nextIndex } from './choice.ts';

const lowest: Choice = { choice: 'lowest', hasTieBreak: false };
const random: Choice = { choice: 'random', hasTieBreak: false };
const tied: Choice = { choice: 'random', hasTieBreak: true };

const rowsAt = (...indices: readonly number[]) =>
  indices.map((index, at) => ({ nodeName: `n${String(at).padStart(2, '0')}`, index }));
const rowAt = (rows: ReturnType<typeof rowsAt>, at: number) =>
  rows[at] ?? { nodeName: '', index: 0 };

describe('A daemon', () => {
  test('takes the lowest index that nobody has, and none where all are taken', () => {
    expect(lowestFree([])).toBe(0);
    expect(lowestFree(rowsAt(0, 1, 3))).toBe(2);
    expect(lowestFree(rowsAt(...Array.from({ length: 18 }, (_, index) => index)))).toBeUndefined();
  });

  test('stays where it is alone, or the first of those that share', () => {
    const rows = rowsAt(4, 4, 7);
    expect(nextIndex(rows, rowAt(rows, 2), random, seeded(1))).toBeUndefined();
    expect(nextIndex(rows, rowAt(rows, 0), tied, seeded(1))).toBeUndefined();
    expect(nextIndex(rows, rowAt(rows, 0), lowest, seeded(1))).toBe(0);
  });

  test('may stay on a shared index without a tie-break, and never takes one that is held', () => {
    const rows = rowsAt(0, 0, ...Array.from({ length: 16 }, (_, index) => index + 1));
    const chance = seeded(3);
    const next = Array.from({ length: 100 }, () => nextIndex(rows, rowAt(rows, 0), random, chance));
    expect(new Set(next)).toEqual(new Set([0, 17]));
    const other = Array.from({ length: 20 }, () => nextIndex(rows, rowAt(rows, 1), tied, chance));
    expect(new Set(other)).toEqual(new Set([17]));
  });
});

/** All act on what the last round left, until nobody moves. */
function rounds(
  count: number,
  choice: Choice,
  chance: ReturnType<typeof seeded>,
): { rounds: number; writes: number } {
  const first = rowsAt(...Array.from({ length: count }, () => -1));
  let rows = first.map((row) => ({ ...row, index: firstIndex([], choice, chance) ?? -1 }));
  for (let [round, writes] = [1, count]; ; round++) {
    const seen = rows;
    rows = seen.map((row) => ({
      ...row,
      index: nextIndex(seen, row, choice, chance) ?? row.index,
    }));
    const moving = seen.filter((row) => nextIndex(seen, row, choice, chance) !== undefined).length;
    if (moving === 0 || round === 200) return { rounds: round, writes };
    writes += moving;
  }
}

function means(count: number, choice: Choice): { rounds: number; writes: number } {
  const chance = seeded(18);
  const trials = Array.from({ length: 2000 }, () => rounds(count, choice, chance));
  const mean = (of: (one: (typeof trials)[number]) => number): number =>
    trials.reduce((sum, one) => sum + of(one), 0) / trials.length;
  return { rounds: mean(({ rounds: one }) => one), writes: mean(({ writes }) => writes) };
}

describe('Daemons that all act on the same version', () => {
  test('never end with the lowest free index and no tie-break', () => {
    expect(rounds(18, lowest, seeded(1)).rounds).toBe(200);
  });

  test.each([
    [18, random, 5.99, 45.3],
    [16, random, 4.25, 33.7],
    [8, random, 2.07, 11.1],
    [18, tied, 3.49, 27.2],
  ])('%i of them with %o need %d rounds and %d writes', (count, choice, mean, writes) => {
    const found = means(count, choice);
    expect(found.rounds).toBeCloseTo(mean, 0);
    expect(Math.abs(found.rounds / mean - 1)).toBeLessThan(0.04);
    expect(Math.abs(found.writes / writes - 1)).toBeLessThan(0.04);
  });
});
