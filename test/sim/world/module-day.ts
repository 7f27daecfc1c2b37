// The order of a seeded run with one module: a bad day on which users are at work, then everything
// is healed, what there is must come to the expected end and stay quiet, and in the end all goes.
// Called by cliques/run.ts and pools/run.ts.
import { beQuiet } from '../ending.ts';
import { strikeOften } from '../faults/strikes.ts';
import { textAt } from '../fields.ts';
import { circumstances, type Circumstances, type Report } from '../run.ts';
import { pick } from '../users/workload.ts';
import type { ModuleWorld, ModuleWorldOptions } from './module-world.ts';

export interface DayOptions {
  /** Ends the bad day after so many virtual seconds: a prefix of the run. */
  readonly badSeconds?: number;
  readonly keepTrace?: boolean;
  /** A violation on the bad day ends the run at once, unhealed. */
  readonly isBrief?: boolean;
}

/** Who does what in the world of the run. */
export interface Day {
  readonly world: ModuleWorld<ModuleWorldOptions>;
  /** Before the controllers start. */
  prepare(): Promise<void>;
  begin(): Promise<void>;
  /** What goes on from then on until the world is healed. */
  trouble(): void;
  makePeace(): Promise<void>;
  /** Sentences; empty: all is as it must be. */
  complaints(): readonly string[];
  /** All goes, and then this must be true. */
  end(): Promise<void>;
  isEmpty(): boolean;
}

const limitMs = 90_000;
const goneLimitMs = 120_000;
const stepMs = 250;
const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

export async function liveDay(
  seed: number,
  { badSeconds: most = Infinity, keepTrace = false, isBrief = false }: DayOptions,
  dayOf: (drawn: Circumstances & { readonly keepTrace: boolean }) => Day,
): Promise<Report> {
  const drawn = circumstances(seed, { badSeconds: most });
  const { badSeconds } = drawn;
  const day = dayOf({ ...drawn, keepTrace });
  const { world } = day;
  const startedAt = world.clock.now();
  await world.start();
  await day.prepare();
  world.processes.startAll();
  await day.begin();
  day.trouble();
  loseLeases(world);
  const isOver = await livesThrough(world, badSeconds * 1_000, isBrief);
  if (isOver) return { seed, badSeconds, convergedMs: undefined, ...reportOf(world, startedAt) };
  world.heal();
  await day.makePeace();
  const convergedMs = await converge(day, limitMs, '');
  if (convergedMs !== undefined) {
    await beQuiet(world, () => day.complaints());
    await day.end();
    await converge(day, goneLimitMs, 'after the deletion of all: ');
  }
  const left = await world.stop();
  if (left > 0) world.oracles.violate(`${left} timers are left after the end`);
  return { seed, badSeconds, convergedMs, ...reportOf(world, startedAt) };
}

function loseLeases(world: Day['world']): void {
  const losing = world.random('leases');
  strikeOften(world, world.options.rates, world.random('troubles'), () => {
    const all = world.cluster.store.collection('coordination.k8s.io/leases').list();
    const names = all.map((one) => textAt(one, 'metadata', 'name'));
    const name = pick(
      losing,
      names.filter((one) => one.startsWith('coppice-')),
    );
    if (name === undefined) return;
    void world.ask({ method: 'DELETE', path: `${leases}/${name}` });
  });
}

/** True where the bad day ended early. */
async function livesThrough(world: Day['world'], ms: number, isBrief: boolean): Promise<boolean> {
  const { clock, violations } = world;
  const end = clock.now() + ms;
  if (isBrief && (await clock.until(() => violations.length > 0, ms))) return true;
  await clock.advance(end - clock.now());
  return false;
}

/** Milliseconds until there is nothing to complain about; undefined where there still was. */
async function converge(day: Day, mostMs: number, when: string): Promise<number | undefined> {
  const { clock, controllerSet, oracles } = day.world;
  const from = clock.now();
  const limit = from + mostMs / Math.min(...controllerSet.clockRates);
  let complaints: readonly string[] = [];
  while (clock.now() < limit) {
    await clock.advance(stepMs);
    complaints = day.complaints();
    if (complaints.length === 0 && (when === '' || day.isEmpty())) return clock.now() - from;
  }
  for (const complaint of complaints.slice(0, 20)) {
    oracles.violate(`not converged: ${when}${complaint}`);
  }
  await day.world.noteActors();
  return undefined;
}

const reportOf = (
  { trace, violations, processes, clock, injected, tally }: Day['world'],
  startedAt: number,
): Omit<Report, 'seed' | 'badSeconds' | 'convergedMs'> => ({
  ...{ hash: trace.hash(), violations, virtualMs: clock.now() - startedAt },
  ...{ requests: trace.requests, busiest: trace.busiest, crashes: processes.crashes },
  ...{ scaleIns: 0, forced: 0, injected, judgements: tally.counts, trace: trace.lines ?? [] },
});
