// One seeded run: a bad day of drawn length with a user at work, then everything is healed and the
// controller must come to the expected end within a minute and be quiet for ten. Called by
// main.ts and the tests.
import { seeded } from '#test/support/virtual-clock.ts';
import { type Crew, drawCrew, rivals } from './crew.ts';
import { complaintsAbout } from './expected.ts';
import type { FaultyOptions } from './faulty-transport.ts';
import { hasPending } from './pending.ts';
import { contested, draw, type Rates } from './rates.ts';
import { Topology } from './topology.ts';
import { trouble } from './trouble.ts';
import { User } from './user.ts';
import { between, pick, setNames } from './workload.ts';
import { World } from './world.ts';

export interface SimulationOptions {
  /** Instead of those that the seed draws. */
  readonly rates?: Rates;
  readonly crew?: Crew;
  /** Ends the bad day after so many virtual seconds: a prefix of the run. */
  readonly badSeconds?: number;
  readonly keepTrace?: boolean;
  /** Some sets have scaling groups. */
  readonly hasGroups?: boolean;
  /** Sets have topology constraints, and somebody changes the binding. */
  readonly hasTopology?: boolean;
  readonly onWrite?: FaultyOptions['onWrite'];
}

export interface Report {
  readonly seed: number;
  /** Of all requests, with time, object and answer. */
  readonly hash: string;
  /** Empty: passed. */
  readonly violations: readonly string[];
  readonly badSeconds: number;
  readonly virtualMs: number;
  /** From the healing to the expected end; undefined where it was not reached. */
  readonly convergedMs: number | undefined;
  readonly requests: number;
  /** Writes of the controller in the busiest second. */
  readonly busiest: number;
  readonly crashes: number;
  readonly injected: Readonly<Record<string, number>>;
  readonly trace: readonly string[];
}

/** On the slowest clock of the controllers: their patience is theirs. */
const convergenceLimitMs = 60_000;
const quietMs = 600_000;
const lullMs = 20_000;
const stepMs = 250;
/** So many seeds are about who owns what, and nothing else. */
const contestedEvery = 12;
/** Two sets have at most some 60 objects. */
const mostWritesPerSecond = 400;

export async function simulate(seed: number, options: SimulationOptions = {}): Promise<Report> {
  const random = seeded(seed);
  const drawnRates = draw(random);
  const drawnCrew = drawCrew(random);
  const isContested = seed % contestedEvery === 0;
  const rates = options.rates ?? (isContested ? contested : drawnRates);
  const crew = options.crew ?? (isContested ? rivals : drawnCrew);
  const delivery = pick(random, ['direct', 'nats'] as const) ?? 'direct';
  const drawn = between(random, 20, 120);
  const badSeconds = Math.min(drawn, options.badSeconds ?? drawn);
  const { keepTrace = false, onWrite, hasGroups = false, hasTopology = false } = options;
  const world = new World({
    seed,
    rates,
    crew,
    delivery,
    keepTrace,
    isTopologyAware: hasTopology,
    ...(onWrite === undefined ? {} : { onWrite }),
  });
  const startedAt = world.clock.now();
  await world.start();
  const topology = hasTopology
    ? new Topology(world.random('topology'), (request) => world.ask(request))
    : undefined;
  const user = new User(world, hasGroups, topology);
  world.lives.startAll();
  await user.deploy(setNames[0]);
  trouble(world, user, rates, topology);
  await world.clock.advance(badSeconds * 1_000);
  world.heal();
  await user.makePeace();
  await user.takeFailedAway();
  await user.deployAll();
  const convergedMs = await comeToEnd(world, user);
  if (convergedMs !== undefined) await beQuiet(world);
  const { busiest } = world.trace;
  if (busiest > mostWritesPerSecond) world.oracles.violate(`${busiest} writes in one second`);
  const left = await world.stop();
  if (left > 0) world.oracles.violate(`${left} timers are left after the end`);
  return {
    seed,
    hash: world.trace.hash(),
    violations: world.oracles.violations,
    badSeconds,
    virtualMs: world.clock.now() - startedAt,
    convergedMs,
    requests: world.trace.requests,
    busiest,
    crashes: world.lives.crashes,
    injected: world.injected,
    trace: world.trace.lines ?? [],
  };
}

/** First without what others have in their hands, then with that. */
async function comeToEnd(world: World, user: User): Promise<number | undefined> {
  const convergedMs = await converge(world, user, false);
  if (convergedMs === undefined || !hasPending(world.cluster.store)) return convergedMs;
  // Whatever would have come anyway is over by then.
  await world.clock.advance(lullMs);
  const againMs = await converge(world, user, true);
  return againMs === undefined ? undefined : convergedMs;
}

async function converge(world: World, user: User, letsGo: boolean): Promise<number | undefined> {
  const healedAt = world.clock.now();
  let complaints: readonly string[] = [];
  const limitMs = convergenceLimitMs / Math.min(...world.crew.clockRates);
  while (world.clock.now() - healedAt < limitMs) {
    await world.clock.advance(stepMs);
    await user.makePeace(letsGo);
    complaints = complaintsAbout(world.cluster.store, world.isTopologyAware);
    if (complaints.length === 0) return world.clock.now() - healedAt;
  }
  for (const complaint of complaints.slice(0, 20)) {
    world.oracles.violate(`not converged: ${complaint}`);
  }
  await world.noteActors();
  return undefined;
}

/** The status of something that is done may still follow; after that there is nothing to write. */
async function beQuiet(world: World): Promise<void> {
  const { clock, trace, oracles } = world;
  await clock.advance(15_000);
  const { writeCount, leaseWrites, leaseRefusals } = trace;
  await clock.advance(quietMs);
  const writes = trace.writeCount - writeCount;
  if (writes > 0) oracles.violate(`${writes} writes in quiet, the last: ${trace.lastWrite}`);
  const refusals = trace.leaseRefusals - leaseRefusals;
  if (refusals > 0) oracles.violate(`${refusals} writes of leases are refused in quiet`);
  const renewals = trace.leaseWrites - leaseWrites;
  const most = mostRenewals(world.crew);
  if (renewals > most) oracles.violate(`${renewals} writes of leases in quiet, at most ${most}`);
  for (const complaint of complaintsAbout(world.cluster.store, world.isTopologyAware)) {
    oracles.violate(`after the quiet: ${complaint}`);
  }
}

/** One renewal per process at a time, on the fastest clock, and nothing per shard. */
const mostRenewals = ({ processes, clockRates, terms }: Crew): number =>
  Math.ceil((processes * quietMs * Math.max(...clockRates)) / (terms.retrySeconds * 1_000)) +
  processes;
