// States that seeds pass, one test each: for the two files that share the two hundred of
// `npm test`.
import { describe, expect, it } from 'vitest';
import { simulate } from './run.ts';

/** Both ends included. */
export const range = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

export function passSeeds(seeds: readonly number[]): void {
  describe('The controller on a bad day', () => {
    it.each(seeds)(
      'with seed %i comes to the expected end, harms nothing and is quiet',
      { timeout: 60_000 },
      async (seed) => {
        const { violations } = await simulate(seed);
        expect(violations, `npm run sim -- --seed ${seed} --trace`).toEqual([]);
      },
    );
  });
}
