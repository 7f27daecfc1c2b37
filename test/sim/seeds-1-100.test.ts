// The first hundred days of faults, crashes and edits, each from its seed, and the seeds that ever
// failed; the second hundred is a file of its own, so that both cores are used. And the same seed
// is the same run.
import { describe, expect, it } from 'vitest';
import { passSeeds, range } from './pass-seeds.ts';
import regressions from './regressions.json' with { type: 'json' };
import { simulate } from './run.ts';

passSeeds([...new Set([...range(1, 100), ...regressions.seeds])]);

describe('A simulated day', () => {
  // One controller alone, and three under leases.
  it.each([3, 20])('with seed %i is the same day twice', async (seed) => {
    const [first, second] = [await simulate(seed), await simulate(seed)];
    expect(first.hash).toBe(second.hash);
    expect(first.requests).toBe(second.requests);
  });
});
