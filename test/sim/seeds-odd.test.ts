// Half of the first hundred days of faults, crashes and edits, each from its seed, and the seeds
// that ever failed; `npm run sim` takes four hundred. And the same seed is the same run.
import { describe, expect, it } from 'vitest';
import { amountOf } from '#test/support/optional.mjs';
import { passSeeds, range } from './pass-seeds.ts';
import regressions from './regressions.json' with { type: 'json' };
import { simulate } from './run.ts';

const odd = range(1, amountOf('simulated days')).filter((seed) => seed % 2 === 1);

passSeeds([...new Set([...odd, ...regressions.seeds])]);

describe('A simulated day', () => {
  // One controller alone, and three under leases.
  it.each([3, 20])('with seed %i is the same day twice', { timeout: 120_000 }, async (seed) => {
    const [first, second] = [await simulate(seed), await simulate(seed)];
    expect(first.hash).toBe(second.hash);
    expect(first.requests).toBe(second.requests);
  });
});
