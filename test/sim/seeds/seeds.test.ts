// The first days of faults, crashes and edits, each from its seed; the long tests go on to a
// hundred and take the seeds that ever failed, `npm run sim` takes four hundred. And the same seed
// is the same run.
import { describe, expect, it } from 'vitest';
import { passSeeds, range, shortDays } from './pass-seeds.ts';
import { simulate } from '../run.ts';

passSeeds(range(1, shortDays));

describe('A simulated day', () => {
  // One controller alone, and three under leases.
  it.each([3, 20])('with seed %i is the same day twice', { timeout: 120_000 }, async (seed) => {
    const [first, second] = [await simulate(seed), await simulate(seed)];
    expect(first.hash).toBe(second.hash);
    expect(first.requests).toBe(second.requests);
  });
});
