// Bad days of sets with groups for NVLink: their ComputeDomains, which others delete and hold, and
// the claims of their pods are held to expected-domains.ts as everything else to expected.ts.
import { describe, expect, it } from 'vitest';
import { range } from './pass-seeds.ts';
import { simulate } from './run.ts';

describe('The controller on a bad day with ComputeDomains', () => {
  it.each(range(1, 6))(
    'with seed %i comes to the expected end, harms nothing and is quiet',
    { timeout: 60_000 },
    async (seed) => {
      const { violations } = await simulate(seed, { hasGroups: true, hasDomains: true });
      expect(violations, `npm run sim -- --domains --seed ${seed} --trace`).toEqual([]);
    },
  );
});
