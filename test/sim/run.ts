// One seeded run: a bad day of drawn length with a user at work, then everything is healed and the
// controller must come to the expected end within a minute and be quiet for ten. Called by
// main.ts and the tests.
import type { Random } from '#actors/ports.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { complaintsAbout } from './expected.ts';
import type { FaultyOptions } from './faulty-transport.ts';
import { draw, type Rates } from './rates.ts';
import { User } from './user.ts';
import { between, pick, setNames } from './workload.ts';
import { World } from './world.ts';

export interface SimulationOptions {
  /** Instead of those that the seed draws. */
  readonly rates?: Rates;
  /** Ends the bad day after so many virtual seconds: a prefix of the run. */
  readonly badSeconds?: number;
  readonly keepTrace?: boolean;
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

const convergenceLimitMs = 60_000;
const quietMs = 600_000;
const stepMs = 250;
/** Two sets have at most some 60 objects. */
const mostWritesPerSecond = 400;

export async function simulate(seed: number, options: SimulationOptions = {}): Promise<Report> {
  const random = seeded(seed);
  const rates = options.rates ?? draw(random);
  const delivery = pick(random, ['direct', 'nats'] as const) ?? 'direct';
  const drawn = between(random, 20, 120);
  const badSeconds = Math.min(drawn, options.badSeconds ?? drawn);
  const { keepTrace = false, onWrite } = options;
  const world = new World({
    seed,
    rates,
    delivery,
    keepTrace,
    ...(onWrite === undefined ? {} : { onWrite }),
  });
  const startedAt = world.clock.now();
  await world.start();
  const user = new User(world);
  world.startController();
  await user.deploy(setNames[0]);
  troubles(world, user, rates, world.random('troubles'));
  await world.clock.advance(badSeconds * 1_000);
  world.heal();
  await user.makePeace();
  await user.takeFailedAway();
  await user.deployAll();
  const convergedMs = await converge(world, user);
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
    crashes: world.crashes,
    injected: world.injected,
    trace: world.trace.lines ?? [],
  };
}

/** Lets the things happen that come by themselves, each at random times with its mean pause. */
function troubles(world: World, user: User, rates: Rates, random: Random): void {
  const often = (meanS: number, happen: () => void): void => {
    if (meanS === 0) return;
    const next = (): void => {
      const wait = -Math.log(1 - random.next()) * meanS * 1_000;
      world.clock.at(world.clock.now() + Math.ceil(wait), () => {
        if (world.isHealed) return;
        happen();
        next();
      });
    };
    next();
  };
  const note = (text: string): void => world.trace.note(world.clock.now(), text);
  const process = () => pick(random, [...world.alive]);
  const forAWhile = (most: number, end: () => void): void => {
    world.clock.at(world.clock.now() + between(random, 100, most), end);
  };
  often(rates.userEditEveryS, () => void user.act());
  often(rates.crashEveryS, () => process()?.crash());
  often(rates.clockJumpEveryS, () => {
    const ms = between(random, -3_600_000, 3_600_000);
    process()?.clock.jump(ms);
    note(`a clock jumps by ${ms} ms`);
  });
  often(rates.apiOutageEveryS, () => {
    const cutOff = process();
    cutOff?.part(true);
    note(`controller ${cutOff?.life} cannot reach the API server`);
    forAWhile(20_000, () => cutOff?.part(false));
  });
  often(rates.busOutageEveryS, () => {
    const cutOff = process();
    cutOff?.bus.setConnected(false);
    note(`controller ${cutOff?.life} cannot reach the bus`);
    forAWhile(20_000, () => cutOff?.bus.setConnected(true));
  });
  often(rates.compactEveryS, () => world.cluster.store.compact(world.cluster.store.version));
  often(rates.twinEveryS, () => {
    if (world.alive.size > 1) return;
    const older = process();
    world.startController();
    forAWhile(20_000, () => older?.crash());
  });
}

async function converge(world: World, user: User): Promise<number | undefined> {
  const healedAt = world.clock.now();
  let complaints: readonly string[] = [];
  while (world.clock.now() - healedAt < convergenceLimitMs) {
    await world.clock.advance(stepMs);
    await user.makePeace();
    complaints = complaintsAbout(world.cluster.store);
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
  const before = trace.writeCount;
  await clock.advance(quietMs);
  const writes = trace.writeCount - before;
  if (writes > 0) oracles.violate(`${writes} writes in quiet, the last: ${trace.lastWrite}`);
  for (const complaint of complaintsAbout(world.cluster.store)) {
    oracles.violate(`after the quiet: ${complaint}`);
  }
}
