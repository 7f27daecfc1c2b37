// The first days of warm pools: pools, templates and claims come and go, what they stand on breaks,
// and the controller has all faults of the other days. The long tests go on to a hundred and take
// the seeds that ever failed, `npm run sim -- --pools --seeds 1000` takes a thousand.
import { describe, expect, it } from 'vitest';
import { poolDay } from '../pools/run.ts';
import { passPoolDays, range, shortDays } from './pass-seeds.ts';

passPoolDays(range(1, shortDays));

describe('A simulated day of warm pools', () => {
  it('is the same day twice', { timeout: 120_000 }, async () => {
    const [first, second] = [await poolDay(3), await poolDay(3)];
    expect(first.hash).toBe(second.hash);
    expect(first.requests).toBe(second.requests);
  });
});
