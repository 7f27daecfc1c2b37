// Bad days on which the ClusterTopologyBinding that the sets name is made, changed and deleted:
// PodGangs and the sets' condition are held to what it says in the end.
import { describe, expect, it } from 'vitest';
import { range } from './pass-seeds.ts';
import { simulate } from './run.ts';

describe('The controller on a bad day with topology constraints', () => {
  it.each(range(1, 6))(
    'with seed %i comes to the expected end, harms nothing and is quiet',
    { timeout: 60_000 },
    async (seed) => {
      const { violations } = await simulate(seed, { hasGroups: true, hasTopology: true });
      expect(violations, `npm run sim -- --topology --seed ${seed} --trace`).toEqual([]);
    },
  );
});
