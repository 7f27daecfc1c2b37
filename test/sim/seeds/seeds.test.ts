// The first days of faults, crashes and edits, each from its seed, and the seeds that ever failed;
// the long tests go on to a hundred, `npm run sim` takes four hundred. And the same seed is the
// same run.
import { describe, expect, it } from 'vitest';
import { passSeeds, range, shortDays } from './pass-seeds.ts';
import regressions from '../regressions.json' with { type: 'json' };
import { simulate } from '../run.ts';

passSeeds([...new Set([...range(1, shortDays), ...regressions.seeds])]);

describe('A simulated day', () => {
  // One controller alone, and three under leases.
  it.each([3, 20])('with seed %i is the same day twice', { timeout: 120_000 }, async (seed) => {
    const [first, second] = [await simulate(seed), await simulate(seed)];
    expect(first.hash).toBe(second.hash);
    expect(first.requests).toBe(second.requests);
  });
});
