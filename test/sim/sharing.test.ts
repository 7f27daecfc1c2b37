// Bad days of sets that share ResourceClaims at all levels: claims are deleted, relabelled and
// disowned, their templates come and go, and in the end all are there, as they should be, and none
// besides.
import { describe, expect, it } from 'vitest';
import { range } from './pass-seeds.ts';
import { simulate } from './run.ts';

describe('The controller on a bad day with shared claims', () => {
  // 17: a tree is taken over while the watch of its set is silent and those of its children speak.
  it.each([...range(1, 6), 17])(
    'with seed %i comes to the expected end, harms nothing and is quiet',
    { timeout: 60_000 },
    async (seed) => {
      const { violations } = await simulate(seed, { hasGroups: true, hasSharing: true });
      expect(violations, `npm run sim -- --sharing --seed ${seed} --trace`).toEqual([]);
    },
  );
});
