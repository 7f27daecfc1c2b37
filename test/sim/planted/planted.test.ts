// The simulator finds the planted bugs: the first seed by which each was found (found.json has that
// of three ranges) still finds it, and fails of nothing else. A search anew, in all ranges, is
// `npm run sim -- --planted`.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amountOf, spread } from '#test/support/optional.mjs';
import { passedUpTo } from '../seeds/pass-seeds.ts';
import { plantedBugs } from './bugs.ts';
import { PlantedCopy } from './copy.ts';
import { dayOf, findersOf, type Found, type PlantedWorld, worldOf } from './search.ts';
import foundSeeds from './found.json' with { type: 'json' };

const found: Found = foundSeeds;

/** All, where the machine is fast enough (support/optional.mjs). */
const searched = spread(plantedBugs, amountOf('planted bugs'));

/** The first one that found it. The others take as long each, and show the same. */
const seedsOf = (id: string): readonly number[] =>
  (found[id] ?? []).filter((seed) => seed !== null).slice(0, 1);

const upTo: Partial<Record<PlantedWorld, number>> = passedUpTo;

/** Each world and seed once, however many bugs are found by it; not those that pass in the tests of
 *  seeds. */
const days = [
  ...new Map(
    searched.flatMap((bug) =>
      seedsOf(bug.id).map((seed) => {
        const world = worldOf(bug);
        return [`${world} ${seed}`, { world, seed }];
      }),
    ),
  ).values(),
].filter(({ world, seed }) => seed > (upTo[world] ?? 0));

/** Bugs run in a process of their own, days without them in this one: two cores have work. */
const sideBySide = { concurrent: true };
const inTurn = { concurrent: false, timeout: 300_000 };

describe('A planted bug', sideBySide, () => {
  let copy: PlantedCopy;
  beforeAll(async () => {
    copy = await PlantedCopy.make();
  });
  afterAll(() => copy.remove());

  it.each(searched)('is found by its seed in the table: $id', inTurn, async (bug) => {
    const seeds = seedsOf(bug.id);
    expect(await findersOf(copy, bug, seeds)).toEqual(seeds);
  });
});

describe('A day on which a planted bug is found', sideBySide, () => {
  it.each(days)('passes without it: $world, seed $seed', inTurn, async ({ world, seed }) => {
    const { violations } = await dayOf(world, seed);
    expect(violations).toEqual([]);
  });
});
