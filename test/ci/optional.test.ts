// How much of what is optional CI does on machines of different speeds.
import { describe, expect, it } from 'vitest';
import { amountOf, effortAt, scaledAt } from '#test/support/optional.mjs';

describe('What is drawn by seeds', () => {
  it('is done in full on a machine about as fast as the reference, and on a faster one', () => {
    for (const speed of [0.8, 1, 3]) {
      expect(amountOf('simulated days', effortAt(speed))).toBe(100);
      expect(scaledAt(effortAt(speed))).toEqual([]);
    }
  });

  it('is less on a slower one, and told of', () => {
    expect(amountOf('simulated days', effortAt(0.7))).toBe(70);
    expect(scaledAt(0.7)).toContain('simulated days: 70 instead of 100; all: npm run sim');
  });

  it('is never less than what still judges everything', () => {
    expect(amountOf('simulated days', effortAt(0.01))).toBe(60);
  });
});
