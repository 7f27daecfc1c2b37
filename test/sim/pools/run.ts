// One seeded run with warm pools: pools, templates and claims come and go, what they stand on
// breaks, and in the end every claim has what it can have, pools are full and nothing is written.
// Called by main.ts and the tests.
import { repeat } from '../faults/strikes.ts';
import type { Circumstances, Report } from '../run.ts';
import { between, pick } from '../users/workload.ts';
import { type Day, type DayOptions, liveDay } from '../world/module-day.ts';
import { streamOf } from '../world/streams.ts';
import type { Ending } from './ending.ts';
import { complaintsAbout, isEmpty } from './expected.ts';
import { Hardships, isHard } from './hardships.ts';
import { People } from './people.ts';
import { PoolWorld } from './world.ts';

export const poolDay = (seed: number, options: DayOptions = {}): Promise<Report> =>
  liveDay(seed, options, (drawn) => dayIn(makeWorld(seed, drawn)));

/** Mean seconds between two. */
const hardEveryS = 12;

type Drawn = Circumstances & { readonly keepTrace: boolean };

function makeWorld(seed: number, { rates, ...drawn }: Drawn): PoolWorld {
  const random = streamOf(seed, 'shape');
  return new PoolWorld({
    ...drawn,
    rates: { ...rates, pastStart: 0 },
    seed,
    nodes: between(random, 3, 6),
    warmPool: {
      maxBatchSize: pick(random, [300, 300, 2]) ?? 300,
      replenishDelaySeconds: pick(random, [0, 0, 2]) ?? 0,
      maxRefillRate: pick(random, [0, 0, 2]) ?? 0,
      // Members that fail are to be replaced within a day.
      readinessGraceSeconds: 20,
      unschedulableRecheckSeconds: 5,
    },
    podMetadataDelayMs: pick(random, [0, 0, 500]) ?? 0,
    hasObservability: random.next() < 0.7,
  });
}

function dayIn(world: PoolWorld): Day {
  const { cluster, clock } = world;
  const { store } = cluster;
  const people = new People(world);
  const ending = (): Ending => ({
    store,
    now: clock.now(),
    areClocksWrong: world.areClocksWrong,
  });
  return {
    world,
    prepare: async () => {},
    begin: () => people.begin(),
    trouble: () => {
      const everyS = 0.2 + world.random('pace').next() * 2;
      repeat(world, world.random('acts'), everyS, () => void people.act());
      if (!isHard(world.options.seed)) return;
      const hardships = new Hardships(world);
      repeat(world, world.random('hard times'), hardEveryS, () => void hardships.act());
    },
    makePeace: () => people.makePeace(),
    complaints: () => complaintsAbout(ending()),
    end: () => people.end(),
    isEmpty: () => isEmpty(store),
  };
}
