// Pauses that machines take by themselves: no clock can prolong them.
import { describe, expect, it } from 'vitest';
import { isPauseOver } from '#machines/contract/backoff.ts';

const now = Date.UTC(2026, 0, 1);

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
