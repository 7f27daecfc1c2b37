// States that seeds pass, one test each: for the two files that share the two hundred of
// `npm test`, and for the walks.
import { describe, expect, it } from 'vitest';
import { simulate } from './run.ts';
import { walk } from './walk/run.ts';

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

/** Of walks without faults and with them. */
export function walkSeeds(seeds: { calm: readonly number[]; faulty: readonly number[] }): void {
  describe('A walk of twenty edits', () => {
    it.each(seeds.calm)(
      'with seed %i ends where the last spec alone would have ended',
      { timeout: 60_000 },
      async (seed) => {
        const { violations } = await walk(seed, { isCalm: true });
        expect(violations, `npm run sim -- --walk --calm --seed ${seed} --trace`).toEqual([]);
      },
    );

    it.each(seeds.faulty)(
      'on a bad day with seed %i ends there too',
      { timeout: 60_000 },
      async (seed) => {
        const { violations } = await walk(seed);
        expect(violations, `npm run sim -- --walk --seed ${seed} --trace`).toEqual([]);
      },
    );
  });
}
