// What the actor of a revision tells its table: which pods there are, what they take, and when time
// is up for one that drains or is not ready any more (spec activator 2.9, 2.10 and 5.2).
import type { EpochMs } from '../../kubernetes/time.ts';
import { idle, type StepResult } from '../../statechart/step.ts';
import type { ObservedRevision } from '../objects/revision.ts';
import { isTabled } from '../pod/chart.ts';
import { isRoutable, type PodLife } from '../pod/pod.ts';
import { sliceOf } from '../slices.ts';
import type { PodTarget } from '../table.ts';
import { microsOf, minus, msOf, plus, type Micros } from '../time.ts';
import { openedTable, type RevisionContext } from './context.ts';
import { instruct } from './instruct.ts';

type Result = StepResult<RevisionContext>;

/** Before all else: it may be there, with pods and requests, from before a crash. */
export function openTable(_: RevisionContext, own: ObservedRevision): Result {
  const { limit, maxScale, policy } = own;
  return { intents: [instruct({ type: 'openTable', limit, maxScale, policy })], changes: {} };
}

/** Whoever waits for a pod of a revision that goes would wait in vain. */
export function stopAdmission(context: RevisionContext): Result {
  const table = openedTable(context);
  if (table.isStopped) return idle;
  const changes = { table: { ...table, isStopped: true } };
  return { intents: [instruct({ type: 'stopAdmission' })], changes };
}

export function setLimits(context: RevisionContext, own: ObservedRevision): Result {
  const table = openedTable(context);
  const { limit, maxScale } = own;
  if (table.limits.limit === limit && table.limits.maxScale === maxScale) return idle;
  // Without a limit every activator may use every pod.
  const isTold = table.isTold && (limit === 0) === (table.limits.limit === 0);
  const changes = { table: { ...table, limits: { limit, maxScale }, isTold } };
  return { intents: [instruct({ type: 'setLimits', limit, maxScale })], changes };
}

/** All of them each time: the same again changes nothing in the table, and nothing that it was told
 *  earlier needs to be remembered. */
export function setPods(context: RevisionContext, _: ObservedRevision, now: EpochMs): Result {
  const table = openedTable(context);
  if (table.isTold) return idle;
  const pods = targetsOf(context, table.limits.limit);
  const version = table.version + 1;
  return {
    intents: [instruct({ type: 'setPods', pods, version, now: microsOf(now) })],
    changes: { table: { ...table, version, isTold: true } },
  };
}

/** A pod that takes requests from another activator keeps its slot for those that run. */
function targetsOf({ pods, place }: RevisionContext, limit: number): readonly PodTarget[] {
  const routable = pods.values().flatMap((pod) => (isRoutable(pod) ? [pod.dest] : []));
  const own = new Set(sliceOf(routable, { ...place, limit }));
  return pods.values().flatMap((pod): readonly PodTarget[] => {
    const { dest, id, life } = pod;
    if (!isTabled(life)) return [];
    return [{ dest, id, state: isRoutable(pod) && !own.has(dest) ? 'not-ready' : life }];
  });
}

/** One deadline for all pods that drain: a request that runs for longer than any may is not
 *  waited for. */
export function releaseDrained(
  context: RevisionContext,
  own: ObservedRevision,
  nowMs: EpochMs,
): Result {
  const { settings } = context;
  const longest = plus(microsOf(own.timeoutSeconds * 1_000), settings.drainGrace);
  const { cutoff, isDue, until } = dueIn(context, 'draining', longest, nowMs);
  const intents = isDue ? [instruct({ type: 'releaseDrained', cutoff })] : [];
  const say = (): readonly string[] => ['requests still run on pods that drain'];
  return { intents, changes: {}, waits: until === undefined ? [] : [{ until, say }] };
}

/** The least time there is: what is allowed to last so long is over a moment later. */
const tiny = microsOf(0.001);

/** A pod that still has requests is looked at again after a while. */
export function removeStale(context: RevisionContext, _: ObservedRevision, now: EpochMs): Result {
  const { staleAfter, staleTick } = context.settings;
  const { cutoff, isDue, until } = dueIn(context, 'not-ready', plus(staleAfter, tiny), now);
  const again = isDue ? [{ until: msOf(plus(microsOf(now), staleTick)) }] : [];
  return {
    intents: isDue ? [instruct({ type: 'removeStale', cutoff })] : [],
    changes: {},
    waits: until === undefined ? again : [...again, { until }],
  };
}

/** Its pods move by themselves then (pod/chart.ts). */
export function awaitRecovery(context: RevisionContext, _: ObservedRevision, now: EpochMs): Result {
  const { until } = dueIn(context, 'recovering', context.settings.recovery, now);
  return { intents: [], changes: {}, waits: until === undefined ? [] : [{ until }] };
}

/** While requests wait: the table tells when the first one comes, and not when the last one has
 *  gone, as that is no news to who serves them. */
export function askForDemand(
  context: RevisionContext,
  _: ObservedRevision,
  nowMs: EpochMs,
): Result {
  const table = openedTable(context);
  if (table.waiting === 0) return idle;
  const { demandTick } = context.settings;
  const now = microsOf(nowMs);
  const { askedAt } = table;
  if (askedAt !== undefined && now < plus(askedAt, demandTick)) {
    return { ...idle, waits: [{ until: msOf(plus(askedAt, demandTick)) }] };
  }
  return {
    intents: askedAt === undefined ? [] : [instruct({ type: 'tellDemand' })],
    changes: { table: { ...table, askedAt: now } },
    waits: [{ until: msOf(plus(now, demandTick)) }],
  };
}

/** Whether pods have been in a state for so long, and when the next one will have been. */
function dueIn({ pods }: RevisionContext, state: PodLife, span: Micros, nowMs: EpochMs) {
  const cutoff = minus(microsOf(nowMs), span);
  const since = pods.values().flatMap((pod) => (pod.life === state ? [pod.since] : []));
  const later = since.filter((one) => one > cutoff);
  const [first] = later.toSorted((a, b) => a - b);
  const until = first === undefined ? undefined : msOf(plus(first, span));
  return { cutoff, isDue: later.length < since.length, until };
}
