// The first days of warm pools: pools, templates and claims come and go, what they stand on breaks,
// and the controller has all faults of the other days; and the seeds that ever failed. The long
// tests go on to a hundred, `npm run sim -- --pools --seeds 1000` takes a thousand.
import { describe, expect, it } from 'vitest';
import { poolDay } from '../pools/run.ts';
import { passPoolDays, range, shortPoolDays } from './pass-seeds.ts';
import regressions from '../regressions.json' with { type: 'json' };

passPoolDays([...new Set([...range(1, shortPoolDays), ...regressions.pools])]);

describe('A simulated day of warm pools', () => {
  it('is the same day twice', { timeout: 120_000 }, async () => {
    const [first, second] = [await poolDay(3), await poolDay(3)];
    expect(first.hash).toBe(second.hash);
    expect(first.requests).toBe(second.requests);
  });
});
