// One measurement of one strategy: centre and daemons come up and warm up on a small load,
// since a process that has just started does everything for the first time; then all are let go at
// once on the real one, and what they and the watcher have seen is collected. Everything is taken
// away before the next.
import { setTimeout as pause } from 'node:timers/promises';
import type { RateLimit } from '#src/kube/transport/ratelimit.ts';
import { machineMs } from '../observer/claims.ts';
import { add, type RequestCounts, since } from '../requests.ts';
import { between, type Usages, usagesOf } from '../usage.ts';
import type { Central } from './central/central.ts';
import type { MakeCentral } from './central/forked.ts';
import type { Daemons } from './daemons/own.ts';
import type { PopulationReport } from './daemons/population.ts';
import { type Pace, shippedPace } from './pace.ts';
import { type Counts, type Measured, seenCounts, timesOf, writeCounts } from './samples.ts';
import { clear, type Load, type LoadOptions, prepare } from './stage/load.ts';
import { closePlace, driverNamespace, openPlace } from './stage/place.ts';
import type { Stage } from './stage/stage.ts';
import { mayCollide, type StrategyName, strategyOf } from './strategies.ts';
import { Watcher } from './watcher.ts';
import { Wire } from './wire.ts';

export interface MeasureOptions extends Omit<LoadOptions, 'namespace' | 'name'> {
  readonly strategy: StrategyName;
  /** Of each daemon and of the centre. */
  readonly limit?: RateLimit | undefined;
  /** Over which the daemons are spread. */
  readonly processes: number;
  /** After the last daemon has joined; what has not come to be by then does not. */
  readonly capSeconds: number;
  /** Default: as shipped. */
  readonly pace?: Pace;
  /** Cliques to warm up on; 0: none. */
  readonly warmUpCliques: number;
}

/** Who plays them: processes of their own, or for tests this one. */
export interface Players {
  readonly makeDaemons: () => Daemons;
  readonly makeCentral: MakeCentral;
}

interface Parts {
  readonly central: Central;
  readonly groups: readonly Daemons[];
}

/** From the order to go until it is time: for the order to arrive everywhere. */
const leadMs = 250;
/** A watch is opened after its list, with a handshake of its own: nobody joins before. */
const openMs = 5;
/** For a strategy that does not come to an end. */
const warmUpSeconds = 5;
/** Until the last of it was seen by all. */
const restMs = 1000;

export async function measure(
  stage: Stage,
  options: MeasureOptions,
  { makeDaemons, makeCentral }: Players,
): Promise<Measured> {
  const { strategy, limit, processes, cliques, warmUpCliques, pace = shippedPace } = options;
  const central = makeCentral(strategyOf(strategy).central);
  const groups = Array.from({ length: Math.min(processes, cliques) }, makeDaemons);
  const parts = { central, groups };
  await openPlace(stage);
  try {
    const { accounts, kubeconfig } = stage;
    const namespace = driverNamespace;
    const access = accounts.central;
    await central.start({ namespace, access, kubeconfig, limit, pace });
    if (warmUpCliques > 0) await warmUp(stage, options, parts);
    return await measureLoad(stage, options, parts);
  } finally {
    await Promise.all(groups.map((group) => group.stop()));
    await central.stop();
    await closePlace(stage);
  }
}

async function warmUp(stage: Stage, options: MeasureOptions, parts: Parts): Promise<void> {
  const cliques = Math.min(options.warmUpCliques, options.cliques);
  const few = { ...options, cliques, spreadSeconds: 0, capSeconds: warmUpSeconds };
  const load = await prepare(stage, { ...few, namespace: driverNamespace, name: 'warm-up' });
  await joined(stage, few, parts, load);
  await clear(stage, load);
  await pause(restMs);
}

async function measureLoad(stage: Stage, options: MeasureOptions, parts: Parts): Promise<Measured> {
  const load = await prepare(stage, { ...options, namespace: driverNamespace, name: 'domain' });
  const share = load.daemons.length / load.domains.length;
  const watcher = new Watcher(load.keys, new Map(load.domains.map((name) => [name, share])));
  const wire = new Wire(stage.admin);
  try {
    await watcher.open(wire, driverNamespace);
    return measuredOf(options, watcher, await joined(stage, options, parts, load, watcher.done));
  } finally {
    watcher.close();
    await wire.close();
  }
}

/** The daemons of a clique stay together. */
const shares = ({ keys, daemons }: Load, processes: number) =>
  Array.from({ length: processes }, (_, share) =>
    daemons.filter(({ key }) => keys.indexOf(key) % processes === share),
  ).filter((some) => some.length > 0);

interface Joined {
  readonly reports: readonly PopulationReport[];
  /** Of the centre, since the order to go. */
  readonly requests: RequestCounts;
  readonly usages: Usages;
  readonly seconds: number;
}

async function joined(
  stage: Stage,
  options: MeasureOptions,
  { central, groups }: Parts,
  load: Load,
  watched?: Promise<void>,
): Promise<Joined> {
  const { strategy, limit, seed, spreadSeconds, capSeconds, pace = shippedPace } = options;
  const { daemon, plugin } = stage.accounts;
  const access = { daemon, plugin, kubelet: stage.admin };
  const parts = shares(load, groups.length);
  const joining = groups.slice(0, parts.length);
  await Promise.all(
    joining.map((group, at) =>
      group.open({ strategy, daemons: parts[at] ?? [], limit, seed, access, pace }),
    ),
  );
  await pause(load.daemons.length * openMs);
  await central.idle?.();
  // What is asked of the centre costs it time, which is left out: before, and after.
  const requestsBefore = await central.requests();
  const before = await usagesNow(stage, central, groups);
  const atMs = machineMs() + leadMs;
  await Promise.all(joining.map((group) => group.go(atMs)));
  const all = Promise.all([watched, ...joining.map((group) => group.finished())]);
  await atMost(leadMs + (spreadSeconds + capSeconds) * 1000, all);
  const seconds = (machineMs() - atMs) / 1000;
  const after = await usagesNow(stage, central, groups);
  const requests = since(requestsBefore, await central.requests());
  const reports = await Promise.all(joining.map((group) => group.report()));
  await Promise.all(joining.map((group) => group.close()));
  return {
    reports,
    requests,
    usages: between(before, after),
    seconds,
  };
}

async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const enough = new AbortController();
  const capped = pause(ms, undefined, { signal: enough.signal }).catch(() => undefined);
  try {
    await Promise.race([work, capped]);
  } finally {
    enough.abort();
  }
}

function measuredOf(
  { strategy, capSeconds }: MeasureOptions,
  watcher: Watcher,
  { reports, requests: central, usages, seconds }: Joined,
): Measured {
  const requests = add(reports.map(({ counts }) => counts).reduce(add, {}), central);
  const daemons = reports.flatMap((report) => report.daemons);
  const { seen: cliques, domainsMs } = watcher;
  const problem = whyVoid(strategy, watcher);
  const total = (key: 'events' | 'bytes'): number => reports.reduce((so, one) => so + one[key], 0);
  return {
    times: timesOf({ capMs: capSeconds * 1000, daemons, cliques, domainsMs }),
    counts: {
      ...writeCounts(requests),
      ...seenCounts(cliques),
      watch_events: total('events'),
      watch_mib: round(total('bytes') / 2 ** 20),
      join_s: round(seconds),
      daemons_lag_ms: Math.max(...reports.map(({ lagMs }) => lagMs)),
      ...costs(usages),
    },
    requests,
    ...(problem === undefined ? {} : { isVoid: problem }),
  };
}

function usagesNow(stage: Stage, central: Central, groups: readonly Daemons[]): Promise<Usages> {
  const pids = new Map([...stage.processes(), ...central.pids]);
  groups.forEach(({ pid }, at) => {
    if (pid !== undefined) pids.set(`daemons_${at}`, pid);
  });
  return usagesOf(pids);
}

/** CPU time in the join phase and peak memory, those of the daemons' processes together. */
function costs(usages: Usages): Counts {
  const of = (name: string, keep: (one: string) => boolean): Counts => {
    const found = Object.entries(usages).flatMap(([one, usage]) => (keep(one) ? [usage] : []));
    if (found.length === 0) return {};
    const cpu = found.reduce((so, { cpuSeconds }) => so + cpuSeconds, 0);
    const rss = found.reduce((so, { peakRssMb }) => so + peakRssMb, 0);
    return { [`${name}_cpu_s`]: round(cpu), [`${name}_rss_mb`]: rss };
  };
  const named = ['apiserver', 'etcd', 'kcm', 'cluster', 'central', 'nats'];
  return {
    ...Object.assign({}, ...named.map((name) => of(name, (one) => one === name))),
    ...of('daemons', (one) => one.startsWith('daemons_')),
  };
}

/** Under server-side apply shared indices are what is measured; elsewhere they are an error of the
 *  strategy or of the benchmark. */
function whyVoid(strategy: StrategyName, watcher: Watcher): string | undefined {
  if (!watcher.isGapless) return 'a watch could not be resumed: versions may have been missed';
  if (mayCollide(strategy)) return undefined;
  const { versions_shared, versions_out_of_range, index_changes } = seenCounts(watcher.seen);
  if ((versions_shared ?? 0) > 0) return `${versions_shared} versions with a shared index`;
  if ((versions_out_of_range ?? 0) > 0) return `${versions_out_of_range} versions out of range`;
  return (index_changes ?? 0) > 0 ? `${index_changes} index changes` : undefined;
}

const round = (value: number): number => Math.round(value * 100) / 100;
