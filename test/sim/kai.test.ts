// Bad days of sets for the KAI scheduler: its PodGroups are damaged and deleted, its CRD comes and
// goes, and in the end each gang has its PodGroup and no pod is held.
import { describe, expect, it } from 'vitest';
import { range } from './pass-seeds.ts';
import { simulate } from './run.ts';

describe('The controller on a bad day with sets for KAI', () => {
  it.each(range(1, 6))(
    'with seed %i comes to the expected end, harms nothing and is quiet',
    { timeout: 60_000 },
    async (seed) => {
      const { violations } = await simulate(seed, { hasGroups: true, hasKai: true });
      expect(violations, `npm run sim -- --kai --seed ${seed} --trace`).toEqual([]);
    },
  );
});
