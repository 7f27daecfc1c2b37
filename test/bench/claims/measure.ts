// One run of a case on a fresh place: the pool comes up, grows by as many members as will be
// claimed, which is the refill alone, and then the claims come, burst by burst. run.ts does it with
// the product and with the floor.
import { at, list } from '#machines/kubernetes/json.ts';
import { get, must } from '#test/support/workload.ts';
import { judge } from '../churn/judge.ts';
import { type Companion, type Phase, pause } from '../harness.ts';
import { machineMs } from '../observer/claims.ts';
import { add, conflicts, events, type RequestCounts, writes } from '../requests.ts';
import { percentile, type Result } from '../statistics.ts';
import { usageKeys, usagesOf } from '../usage.ts';
import { namespace } from '../workload.ts';
import { type ClaimPath, splitWrites } from './audited.ts';
import { bindingsOf } from './bindings.ts';
import type { ClaimsCase } from './cases.ts';
import { latencyKeys } from './latency.ts';
import type { BurstSeen, ClaimSeen, Loader } from './load/load.ts';
import { agents, extensions, poolBody, poolPath, templateBody } from './objects.ts';
import {
  type ClaimServer,
  type ClaimSite,
  openLoad,
  openServer,
  type ServerName,
} from './players.ts';
import { Recorder, seconds } from './recorder.ts';

export interface MeasureOptions {
  readonly server: ServerName;
  /** Requests of the floor in flight. */
  readonly inFlight: number;
  /** CPU time that the floor spends on each claim besides, in microseconds. */
  readonly busyUs: number;
  /** Nothing happens any more when nothing was written for this long. */
  readonly quietSeconds: number;
  readonly patienceSeconds: number;
  /** Looks on at each phase. */
  readonly companion?: Companion | undefined;
}

interface Parts {
  readonly site: ClaimSite;
  readonly load: Loader;
  readonly server: ClaimServer;
  readonly recorder: Recorder;
  readonly quietSeconds: number;
}

/** `record` is given the recorder before anything is measured. */
export async function measureClaims(
  site: ClaimSite,
  what: ClaimsCase,
  options: MeasureOptions,
  record: (recorder: Recorder) => void,
): Promise<Result> {
  const { quietSeconds, inFlight, busyUs } = options;
  const load = await openLoad(site, options.patienceSeconds);
  try {
    const server = await openServer(site, options.server, { inFlight, busyUs });
    const pids = () => new Map([...site.processes(), ...server.pids, ['load', load.pid]]);
    const readings = { usages: () => usagesOf(pids()), requests: () => server.requests() };
    const recorder = new Recorder(readings, options.companion);
    record(recorder);
    try {
      return await runCase({ site, load, server, recorder, quietSeconds }, what);
    } finally {
      await server.stop();
    }
  } finally {
    await load.stop();
  }
}

async function runCase(parts: Parts, what: ClaimsCase): Promise<Result> {
  const { name, pool, count, rate, bursts } = what;
  const { site, recorder } = parts;
  const post = (path: string, body: unknown) =>
    must(site.client, { method: 'POST', path: `${extensions}/${path}`, body });
  await post('sandboxtemplates', templateBody);
  const first = pool - count;
  const filled = await recorder.phase('fill', async (begunMs) => {
    await post('sandboxwarmpools', poolBody(first));
    const [atMs] = await Promise.all([parts.load.poolReady(first), parts.server.fill(first)]);
    return { fill_s: seconds(begunMs, atMs) };
  });
  await quiet(parts);
  const about = { case: name, pool, count, rate, bursts };
  if (count === 0) return { ...about, ...filled.milestones, ...usageKeys(filled.usages) };
  const grown = await recorder.phase('grow', (begunMs) => grow(parts, what, begunMs));
  await quiet(parts);
  const seen: BurstSeen[] = [];
  const phases: Phase[] = [];
  for (let index = 0; index < bursts; index++) {
    const { burst, phases: some } = await runBurst(parts, what, index);
    seen.push(burst);
    phases.push(...some);
  }
  return {
    ...about,
    ...grown.milestones,
    ...figures(parts, what, seen, phases),
    ...(await bindings(site)),
  };
}

/** By as many members as will be claimed: what a refill takes where nothing else happens. */
async function grow({ site, load, server }: Parts, what: ClaimsCase, begunMs: number) {
  await must(site.client, {
    method: 'PATCH',
    path: poolPath,
    contentType: 'application/merge-patch+json',
    body: { spec: { replicas: what.pool } },
  });
  const [atMs] = await Promise.all([load.membersReady(what.pool), server.fill(what.count)]);
  return { refill_alone_s: seconds(begunMs, atMs) };
}

async function runBurst(
  parts: Parts,
  { pool, count, rate, bursts }: ClaimsCase,
  index: number,
): Promise<{ burst: BurstSeen; phases: readonly Phase[] }> {
  const { load, server, recorder } = parts;
  const order = { first: index * count, count, rate };
  await collectGarbage(parts.site);
  const seen = Promise.withResolvers<BurstSeen>();
  const upToReady = await recorder.phase('burst', async (begunMs) => {
    const burst = await orBroken(parts, load.burst(order));
    seen.resolve(burst);
    return { ready_s: seconds(begunMs, lastReady(burst)) };
  });
  const burst = await seen.promise;
  const after = await recorder.next('refill', async () => {
    if (!server.refills && index + 1 < bursts) await server.fill(count);
    const refilled = server.refills ? await load.membersReady(pool) : undefined;
    await quiet(parts);
    return refilled === undefined ? {} : { refill_s: seconds(lastReady(burst), refilled) };
  });
  return { burst, phases: [upToReady, after] };
}

/** A collection of the API server's heap takes both cores for half a second: it would fall into the
 *  burst of some runs and not of others. The embedded cluster has none of this, and says 404. */
const collectGarbage = ({ client }: ClaimSite): Promise<unknown> =>
  client.request({ method: 'GET', path: '/debug/pprof/heap?gc=1' });

const lastReady = ({ claims }: BurstSeen): number =>
  Math.max(...claims.map(({ readyMs }) => readyMs));

const orBroken = <T>({ server }: Parts, work: Promise<T>): Promise<T> =>
  Promise.race([work, server.broken()]);

async function quiet({ server, quietSeconds }: Parts): Promise<void> {
  for (let before = -1; ;) {
    const now = writes(await server.requests());
    if (now === before) return;
    before = now;
    await pause(quietSeconds * 1000);
  }
}

async function bindings({ client }: ClaimSite): Promise<Result> {
  const [claims, sandboxes] = await Promise.all(
    [`${extensions}/sandboxclaims`, `${agents}/sandboxes`].map(async (path) =>
      list(at(await get(client, path), 'items')),
    ),
  );
  return { ...bindingsOf(claims ?? [], sandboxes ?? []) };
}

const latency = ({ postMs, readyMs }: ClaimSeen): number => readyMs - postMs;

function figures(
  { site, server }: Parts,
  { count, bursts }: ClaimsCase,
  seen: readonly BurstSeen[],
  phases: readonly Phase[],
): Result {
  const claims = seen.flatMap((burst) => burst.claims);
  const requests = phases.map((phase) => phase.requests).reduce(add, {});
  const each = (value: number): number => Math.round((value / (count * bursts)) * 100) / 100;
  const refills = phases.flatMap(({ milestones }) => milestones['refill_s'] ?? []);
  const audited = site.audited?.();
  return {
    ...latencyKeys(claims.map(latency)),
    ...growthOf(seen),
    lag_ms: Math.max(...seen.map(({ lagMs }) => lagMs)),
    rebound: seen.reduce((sum, { rebound }) => sum + rebound, 0),
    ...(refills.length === 0 ? {} : { refill_s: percentile(refills, 50) }),
    writes_per_claim: each(writes(requests)),
    events_per_claim: each(events(requests)),
    conflicts: conflicts(requests),
    ...cpuPerClaim(phases, each),
    ...usageKeys(phases.at(-1)?.usages ?? {}),
    requests,
    ...(audited === undefined ? {} : splitKeys(audited, claims, server.agent, each)),
  };
}

/** Up to the last Ready of each burst, by process: `apiserver_ms_per_claim`. */
function cpuPerClaim(phases: readonly Phase[], each: (value: number) => number): Result {
  const used = new Map<string, number>();
  for (const { phase, usages } of phases) {
    if (phase !== 'burst') continue;
    for (const [name, { cpuSeconds }] of Object.entries(usages)) {
      used.set(name, (used.get(name) ?? 0) + cpuSeconds * 1000);
    }
  }
  return Object.fromEntries([...used].map(([name, ms]) => [`${name}_ms_per_claim`, each(ms)]));
}

/** Of the P99 from the first burst to the last. */
function growthOf(seen: readonly BurstSeen[]): Result {
  if (seen.length === 1) return {};
  const p99 = seen.map(({ claims }) => percentile(claims.map(latency), 99));
  const tolerance = { absolute: 5, relative: 0.15 };
  const { first, last, growth, verdict } = judge(p99, tolerance);
  return { p99_first_ms: first, p99_last_ms: last, p99_growth_ms: growth, p99_verdict: verdict };
}

function splitKeys(
  audited: Parameters<typeof splitWrites>[0],
  claims: readonly ClaimSeen[],
  agent: string,
  each: (value: number) => number,
): Result {
  const epochMs = Date.now() - machineMs();
  const paths: ClaimPath[] = claims.map(({ claim, sandbox, postMs, readyMs }) => ({
    claim,
    sandbox,
    postMs: postMs + epochMs,
    readyMs: readyMs + epochMs,
  }));
  const since = Math.min(...paths.map(({ postMs }) => postMs));
  const split = splitWrites(
    audited.filter(({ namespace: own, atMs }) => own === namespace && atMs >= Math.floor(since)),
    paths,
    agent,
  );
  const counted = (counts: RequestCounts): number => each(writes(counts));
  return {
    path_writes_per_claim: counted(split.path),
    behind_writes_per_claim: counted(split.behind),
    audited_writes_per_claim: counted(add(split.path, split.behind)),
    ...Object.fromEntries(
      Object.entries(split.stages).map(([stage, ms]) => [`audited_${stage}_ms`, ms]),
    ),
    audited_conflicts: conflicts(split.path) + conflicts(split.behind),
    path_requests: split.path,
    behind_requests: split.behind,
    other_requests: split.others,
  };
}
