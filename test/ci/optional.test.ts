// How much of what is optional CI does on machines of different speeds.
import { describe, expect, it } from 'vitest';
import { combinations } from '#test/charts/combinations.ts';
import { plantedBugs } from '#test/sim/planted/bugs.ts';
import { amountOf, atMost, effortAt, scaledAt, spread } from '#test/support/optional.mjs';

describe('What is drawn by seeds', () => {
  it('is done in full on a machine about as fast as the reference, and on a faster one', () => {
    for (const speed of [0.8, 1, 3]) {
      expect(amountOf('simulated days', effortAt(speed))).toBe(100);
      expect(scaledAt(effortAt(speed))).toEqual([]);
    }
  });

  it('is less on a slower one, and told of', () => {
    expect(amountOf('simulated days', effortAt(0.79))).toBe(62);
    expect(scaledAt(0.79)).toContain('simulated days: 62 instead of 100; all: npm run sim');
  });

  it('is never less than what still judges everything', () => {
    expect(amountOf('simulated days', effortAt(0.01))).toBe(20);
  });

  it('is all that there is of what is counted', () => {
    const tried = 'combinations of the chart on the real control plane';
    expect(amountOf(tried, 1)).toBe(Object.keys(combinations).length);
    expect(amountOf('planted bugs', 1)).toBe(plantedBugs.length);
  });

  it('is taken from everywhere', () => {
    const all = Array.from({ length: 40 }, (_, index) => index);
    expect(spread(all, 40)).toEqual(all);
    expect(spread(all, 4)).toEqual([9, 19, 29, 39]);
    expect(spread(all, 0)).toEqual([]);
  });
});

describe('A limit of time', () => {
  it('is that of the reference, and longer on a slower machine', () => {
    expect(atMost(50, 1)).toBe(50);
    expect(atMost(50, 2)).toBe(50);
    expect(atMost(50, 0.5)).toBe(100);
  });
});
