// Fifty days of faults, crashes and edits, each from its seed: in all of them the controller comes
// to the expected end and is quiet. And the same seed is the same run.
import { describe, expect, it } from 'vitest';
import regressions from './regressions.json' with { type: 'json' };
import { simulate } from './run.ts';

const seeds = Array.from({ length: 50 }, (_, index) => index + 1);

describe('The controller on a bad day', () => {
  it.each([...new Set([...seeds, ...regressions.seeds])])(
    'with seed %i comes to the expected end, harms nothing and is quiet',
    async (seed) => {
      const { violations } = await simulate(seed);
      expect(violations, `npm run sim -- --seed ${seed} --trace`).toEqual([]);
    },
  );

  it.each([3])('with seed %i is the same day twice', async (seed) => {
    const [first, second] = [await simulate(seed), await simulate(seed)];
    expect(first.hash).toBe(second.hash);
    expect(first.requests).toBe(second.requests);
  });
});
