// The end of a simulated run: everything is healed, and the controller must come to the expected
// end within a minute and be quiet for ten. Called by run.ts and walk/run.ts.
import { watchSilenceMs } from '#src/kube/limits.ts';
import { complaintsAbout } from './expected/expected.ts';
import { backToStart } from './oracles/footprint.ts';
import type { User } from './users/user.ts';
import type { ControllerSet } from './world/controller-set.ts';
import { hasPending } from './world/pending.ts';
import type { World } from './world/world.ts';

/** On the slowest clock of the controllers: their patience is theirs. */
const convergenceLimitMs = 60_000;
const quietMs = 600_000;
/** Longer than a controller is away, and than a lazy status waits. */
const restMs = 20_000;
const restLimitMs = 300_000;
const lullMs = 20_000;
const stepMs = 250;
/** Sets have at most some hundred objects. */
const mostWritesPerSecond = 400;

interface Quiet extends Pick<World, 'clock' | 'trace' | 'controllerSet'> {
  readonly oracles: Pick<World['oracles'], 'violate'>;
}

/** Milliseconds from now to the expected end; undefined where it was not reached. */
export async function end(world: World, user: User): Promise<number | undefined> {
  const convergedMs = await comeToEnd(world, user);
  if (convergedMs !== undefined) {
    await beQuiet(world, () => complaintsAbout(world.cluster.store, world.isTopologyAware));
    world.census.judgeEnd();
  }
  const { busiest } = world.trace;
  if (busiest > mostWritesPerSecond) world.oracles.violate(`${busiest} writes in one second`);
  return convergedMs;
}

/** Deletes and stops everything; what is left over is a violation. */
export async function stop(world: World): Promise<void> {
  if (world.oracles.violations.length === 0) await backToStart(world);
  const left = await world.stop();
  if (left > 0) world.oracles.violate(`${left} timers are left after the end`);
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
  const limitMs = convergenceLimitMs / Math.min(...world.controllerSet.clockRates);
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

/**
 * The status of something that is done may still follow, and the shards of a process that died just
 * before the end; after that there is nothing to write.
 */
export async function beQuiet(world: Quiet, complaints: () => readonly string[]): Promise<void> {
  const { clock, trace, oracles, controllerSet } = world;
  // Who owns a tree by then may have a watch that broke without a word.
  const noticedMs = 15_000 + watchSilenceMs / Math.min(...controllerSet.clockRates);
  await clock.advance(Math.max(noticedMs, burialMs(controllerSet)));
  const { writeCount, leaseWrites, leaseRefusals, secretLooks } = trace;
  await clock.advance(quietMs);
  const writes = trace.writeCount - writeCount;
  if (writes > 0) oracles.violate(`${writes} writes in quiet, the last: ${trace.lastWrite}`);
  const refusals = trace.leaseRefusals - leaseRefusals;
  if (refusals > 0) oracles.violate(`${refusals} writes of leases are refused in quiet`);
  const looks = trace.secretLooks - secretLooks;
  if (looks > mostLooks) oracles.violate(`${looks} creates of Secrets are refused in quiet`);
  const renewals = trace.leaseWrites - leaseWrites;
  const most = mostRenewals(world.controllerSet);
  if (renewals > most) oracles.violate(`${renewals} writes of leases in quiet, at most ${most}`);
  for (const complaint of complaints()) {
    oracles.violate(`after the quiet: ${complaint}`);
  }
}

/** Both sets may have been taken over a moment ago; each is looked after ever less often. */
const mostLooks = 16;

/** Until a dead process is taken for dead, on the slowest clock, and its shards are another's. */
const burialMs = ({ leases, terms, clockRates }: ControllerSet): number =>
  leases ? (terms.durationSeconds * 1_000) / Math.min(...clockRates) + 5_000 : 0;

/** One renewal per process at a time, on the fastest clock, and nothing per shard. */
const mostRenewals = ({ processes, clockRates, terms }: ControllerSet): number =>
  Math.ceil((processes * quietMs * Math.max(...clockRates)) / (terms.retrySeconds * 1_000)) +
  processes;

/** No write for a while, what is lazy or backs off included. */
export async function comeToRest(world: World): Promise<void> {
  const { clock, trace, oracles } = world;
  const limit = clock.now() + restLimitMs;
  let writes = -1;
  while (writes !== trace.writeCount) {
    writes = trace.writeCount;
    await clock.advance(restMs);
    if (clock.now() > limit) return oracles.violate(`still writes after ${restLimitMs} ms`);
  }
}
