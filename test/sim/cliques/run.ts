// One seeded run with ComputeDomains: a bad day on which workloads, daemons and nodes come and go,
// then everything is healed, and the tables of all cliques must come to the expected end and stay
// quiet. Called by main.ts and the tests.
import { beQuiet } from '../ending.ts';
import { repeat, strikeOften } from '../faults/strikes.ts';
import { circumstances, type Report } from '../run.ts';
import { between, pick } from '../users/workload.ts';
import { Daemons } from './daemons.ts';
import { complaintsAbout } from './expected.ts';
import { collections, nameOf, paths } from './objects.ts';
import { People } from './people.ts';
import { streamOf } from '../world/streams.ts';
import { CliqueWorld } from './world.ts';

export interface CliqueDayOptions {
  /** Ends the bad day after so many virtual seconds: a prefix of the run. */
  readonly badSeconds?: number;
  readonly keepTrace?: boolean;
  /** A violation on the bad day ends the run at once, unhealed. */
  readonly isBrief?: boolean;
}

const limitMs = 90_000;
const goneLimitMs = 120_000;
const stepMs = 250;

export async function cliqueDay(seed: number, options: CliqueDayOptions = {}): Promise<Report> {
  const { badSeconds: most = Infinity, keepTrace = false, isBrief = false } = options;
  const { rates: drawn, ...circumstance } = circumstances(seed, { badSeconds: most });
  const world = makeWorld(seed, { ...circumstance, rates: drawn, keepTrace });
  const startedAt = world.clock.now();
  await world.start();
  const daemons = new Daemons(world, world.random('daemons'));
  const people = new People(world, world.random('people'), daemons);
  await people.lay(between(world.random('fabrics'), 1, 3));
  world.processes.startAll();
  await people.begin();
  trouble(world, people, daemons);
  const { badSeconds } = circumstance;
  const isOver = await livesThrough(world, badSeconds * 1_000, isBrief);
  if (isOver) return { seed, badSeconds, convergedMs: undefined, ...reportOf(world, startedAt) };
  world.heal();
  await people.makePeace();
  const convergedMs = await converge(world, limitMs, '');
  if (convergedMs !== undefined) {
    await beQuiet(world, () => complaintsAbout(world.cluster.store, world.options.maxNodes));
    await people.end();
    await converge(world, goneLimitMs, 'after the deletion of all domains: ');
  }
  const left = await world.stop();
  if (left > 0) world.oracles.violate(`${left} timers are left after the end`);
  return { seed, badSeconds, convergedMs, ...reportOf(world, startedAt) };
}

type Drawn = Pick<CliqueWorld['options'], 'rates' | 'controllerSet' | 'delivery' | 'keepTrace'>;

function makeWorld(seed: number, { rates, ...drawn }: Drawn): CliqueWorld {
  const random = streamOf(seed, 'shape');
  const nodes = between(random, 6, 20);
  const maxNodes = pick(random, [3, 5, 18, 18]) ?? 18;
  return new CliqueWorld({ ...drawn, rates: { ...rates, pastStart: 0 }, seed, nodes, maxNodes });
}

function trouble(world: CliqueWorld, people: People, daemons: Daemons): void {
  const pace = world.random('pace');
  const peopleEveryS = 0.3 + pace.next() * 4;
  repeat(world, world.random('acts'), peopleEveryS, () => void people.act());
  const daemonsEveryS = pace.next() < 0.4 ? 0 : 0.3 + pace.next() * 4;
  repeat(world, world.random('rows'), daemonsEveryS, () => daemons.act());
  const asksEveryS = pace.next() < 0.5 ? 0 : 0.5 + pace.next() * 4;
  repeat(world, world.random('asks'), asksEveryS, () => void daemons.ask());
  const losing = world.random('leases');
  strikeOften(world, world.options.rates, world.random('troubles'), () => {
    const all = world.cluster.store.collection('coordination.k8s.io/leases').list();
    const lease = pick(
      losing,
      all.filter((one) => nameOf(one).startsWith('coppice-')),
    );
    if (lease === undefined) return;
    void world.ask({ method: 'DELETE', path: `${paths.leases}/${nameOf(lease)}` });
  });
}

/** True where the bad day ended early. */
async function livesThrough(world: CliqueWorld, ms: number, isBrief: boolean): Promise<boolean> {
  const { clock, violations } = world;
  const end = clock.now() + ms;
  if (isBrief && (await clock.until(() => violations.length > 0, ms))) return true;
  await clock.advance(end - clock.now());
  return false;
}

/** Milliseconds until there is nothing to complain about; undefined where there still was. */
async function converge(
  world: CliqueWorld,
  mostMs: number,
  when: string,
): Promise<number | undefined> {
  const { clock, cluster, controllerSet, options } = world;
  const from = clock.now();
  const limit = from + mostMs / Math.min(...controllerSet.clockRates);
  let complaints: readonly string[] = [];
  const isEmpty = (): boolean => cluster.store.collection(collections.domains).list().length === 0;
  while (clock.now() < limit) {
    await clock.advance(stepMs);
    complaints = complaintsAbout(cluster.store, options.maxNodes);
    if (complaints.length === 0 && (when === '' || isEmpty())) return clock.now() - from;
  }
  for (const complaint of complaints.slice(0, 20)) {
    world.oracles.violate(`not converged: ${when}${complaint}`);
  }
  await world.noteActors();
  return undefined;
}

const reportOf = (
  { trace, violations, processes, clock, injected, tally }: CliqueWorld,
  startedAt: number,
): Omit<Report, 'seed' | 'badSeconds' | 'convergedMs'> => ({
  ...{ hash: trace.hash(), violations, virtualMs: clock.now() - startedAt },
  ...{ requests: trace.requests, busiest: trace.busiest, crashes: processes.crashes },
  ...{ scaleIns: 0, forced: 0, injected, judgements: tally.counts, trace: trace.lines ?? [] },
});
