// One seeded run with ComputeDomains: workloads, daemons and nodes come and go, and the tables of
// all cliques must come to the expected end and stay quiet. Called by main.ts and the tests.
import { repeat } from '../faults/strikes.ts';
import type { Circumstances, Report } from '../run.ts';
import { between, pick } from '../users/workload.ts';
import { type Day, type DayOptions, liveDay } from '../world/module-day.ts';
import { streamOf } from '../world/streams.ts';
import { Daemons } from './daemons.ts';
import { complaintsAbout } from './expected.ts';
import { collections } from './objects.ts';
import { People } from './people.ts';
import { CliqueWorld } from './world.ts';

export const cliqueDay = (seed: number, options: DayOptions = {}): Promise<Report> =>
  liveDay(seed, options, (drawn) => dayIn(makeWorld(seed, drawn)));

type Drawn = Circumstances & { readonly keepTrace: boolean };

function makeWorld(seed: number, { rates, ...drawn }: Drawn): CliqueWorld {
  const random = streamOf(seed, 'shape');
  const nodes = between(random, 6, 20);
  const maxNodes = pick(random, [3, 5, 18, 18]) ?? 18;
  return new CliqueWorld({ ...drawn, rates: { ...rates, pastStart: 0 }, seed, nodes, maxNodes });
}

function dayIn(world: CliqueWorld): Day {
  const { store } = world.cluster;
  const daemons = new Daemons(world, world.random('daemons'));
  const people = new People(world, world.random('people'), daemons);
  return {
    world,
    prepare: () => people.lay(between(world.random('fabrics'), 1, 3)),
    begin: () => people.begin(),
    trouble: () => trouble(world, people, daemons),
    makePeace: () => people.makePeace(),
    complaints: () => complaintsAbout(store, world.options.maxNodes),
    end: () => people.end(),
    isEmpty: () => store.collection(collections.domains).list().length === 0,
  };
}

function trouble(world: CliqueWorld, people: People, daemons: Daemons): void {
  const pace = world.random('pace');
  const peopleEveryS = 0.3 + pace.next() * 4;
  repeat(world, world.random('acts'), peopleEveryS, () => void people.act());
  const daemonsEveryS = pace.next() < 0.4 ? 0 : 0.3 + pace.next() * 4;
  repeat(world, world.random('rows'), daemonsEveryS, () => daemons.act());
  const asksEveryS = pace.next() < 0.5 ? 0 : 0.5 + pace.next() * 4;
  repeat(world, world.random('asks'), asksEveryS, () => void daemons.ask());
}
