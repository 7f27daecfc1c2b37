// Bad days of sets with scaling groups: members, base and scaled PodGangs, group statuses and what
// scaling a group leaves behind are held to expected.ts as everything else.
import { describe, expect, it } from 'vitest';
import { range } from './pass-seeds.ts';
import { simulate } from './run.ts';

describe('The controller on a bad day with scaling groups', () => {
  it.each(range(1, 12))(
    'with seed %i comes to the expected end, harms nothing and is quiet',
    { timeout: 60_000 },
    async (seed) => {
      const { violations } = await simulate(seed, { hasGroups: true });
      expect(violations, `npm run sim -- --groups --seed ${seed} --trace`).toEqual([]);
    },
  );
});
