// What a set does about the gang termination of its replicas besides the plan of each: it records
// what must survive, waits for the next one that is due, and tells people before and while it
// happens.
import type { Intent } from '../../../contract/intents.ts';
import { announceErrorsBy } from '../../../contract/failure-log.ts';
import { maxListed } from '../../../contract/limits.ts';
import { patchOf, warning } from '../../../contract/object-intents.ts';
import { sayWhen, type EpochMs } from '../../../kubernetes/time.ts';
import { idle } from '../../../statechart/step.ts';
import { entries } from '../../children/radix.ts';
import { living } from '../../children/reconcile.ts';
import { dueBy, nextDue, replicaAt } from '../../children/replicas.ts';
import { leftOf, sayLeft } from '../../children/termination.ts';
import { isUsed, keepPatch } from '../../objects/kept-replicas.ts';
import { placeOf } from '../../objects/names.ts';
import type { ObservedClique } from '../../objects/podclique.ts';
import type { ObservedSet } from '../../objects/podcliqueset.ts';
import type { ObservedGroup } from '../../objects/scalinggroup.ts';
import { isIn, replicasIn, type Query, type SetContext, type Step } from '../context.ts';
import { eventReason } from '../status.ts';
import { breachOf, cliquesOf, groupsOf, isOfTermination, scaledIn } from '../termination.ts';

/** Before the PodCliques of a replica go; and what was used is forgotten. */
export const keepReplicas: Step = (context, set, now) => {
  if (context.dueAt.size + set.kept.size === 0) return idle;
  const scaled = new Map<ObservedSet | ObservedGroup, ObservedClique[]>([[set, []]]);
  for (const index of dueBy(context, now)) {
    const replica = replicaAt(context, index);
    if (!isIn(replica, 'termination.due')) continue;
    for (const [owner, cliques] of scaledIn(set, replica)) {
      scaled.set(owner, [...(scaled.get(owner) ?? []), ...cliques]);
    }
  }
  const intents = [...scaled].flatMap(([owner, cliques]): Intent[] => {
    const used = owner === set ? usedOf(context, set) : [];
    const patch = keepPatch(owner.kept, cliques, used);
    const { resourceVersion } = owner;
    const reason = 'what PodCliques were scaled to survives their termination';
    return patch === undefined ? [] : [patchOf(owner, reason, patch, { resourceVersion })];
  });
  return { intents, changes: {} };
};

/** Made again, or wanted no more. */
const usedOf: Query<readonly string[]> = (context, set) =>
  [...set.kept].flatMap(([name, entry]) => {
    const { replica: index = Infinity, slot = '' } = placeOf(set.name, name) ?? {};
    const isWanted = index < set.replicas && set.cliques.some((one) => one.name === slot);
    if (!isWanted) return [name];
    const there = living(replicaAt(context, index).children.PodClique.get(slot), set);
    return there !== undefined && isUsed(entry, there) ? [name] : [];
  });

/** For the next reconcile, and for `why`. */
export const awaitTermination: Step = (context, set, now) => {
  const until = nextDue(context, now);
  const say = (): readonly string[] => whyTermination(context, set, now);
  return { intents: [], changes: {}, waits: [{ ...(until !== undefined && { until }), say }] };
};

function whyTermination(context: SetContext, set: ObservedSet, now: EpochMs): readonly string[] {
  const reasons: string[] = [];
  const soonest = [...context.dueAt].toSorted(([, a], [, b]) => a - b).slice(0, maxListed);
  for (const [index] of soonest) reasons.push(...whyReplica(context, set, index, now));
  if (replicasIn(context, 'termination.recovering') === 0) return reasons;
  for (const [index, replica] of entries(context.replicas)) {
    if (reasons.length >= maxListed) break;
    if (isIn(replica, 'termination.recovering')) {
      reasons.push(...whyReplica(context, set, index, now));
    }
  }
  return reasons;
}

/** By the state of the row. */
function whyReplica(
  context: SetContext,
  set: ObservedSet,
  index: number,
  now: EpochMs,
): readonly string[] {
  const replica = replicaAt(context, index);
  const { termination } = replica;
  if (isIn(replica, 'termination.breached')) {
    const breach = breachOf(set, replica);
    return breach === undefined
      ? []
      : [`replica ${index} is terminated ${sayWhen(breach.dueAt, now)}: ${breach.cause}`];
  }
  if (isIn(replica, 'termination.due')) {
    return [`replica ${index} is terminated once what its PodCliques were scaled to is recorded`];
  }
  if (isIn(replica, 'termination.recovering')) {
    const names = groupsOf(set, replica).filter(({ observed }) => observed.isTerminated);
    return names.map(
      ({ name }) =>
        `replica ${index} was terminated and recovers: PodCliqueScalingGroup ${name} terminates nothing again until it had its minimum`,
    );
  }
  if (termination === undefined) return [];
  const left = leftOf(termination, cliquesOf(set, replica));
  if (left.length > 0) return [sayLeft(`replica ${index}`, left)];
  const names = groupsOf(set, replica).filter(({ uid }) => termination.toMark.has(uid));
  return names.map(
    ({ name }) =>
      `replica ${index} is being terminated: waiting for PodCliqueScalingGroup ${name} to show that`,
  );
}

/** One event for all breaches that began in a plan. What was there before the start is no news. */
export function tellBreaches(
  before: SetContext,
  after: Pick<SetContext, 'dueAt' | 'replicas' | 'unseen'>,
  set: ObservedSet,
  now: EpochMs,
): readonly Intent[] {
  if (before.planned === undefined) return [];
  const fresh = [...after.dueAt].filter(([index, at]) => at > now && !before.dueAt.has(index));
  const [first] = fresh.toSorted(([, a], [, b]) => a - b);
  if (first === undefined) return [];
  const [index, at] = first;
  const { cause = '' } = breachOf(set, replicaAt(after, index)) ?? {};
  const more = fresh.length > 1 ? ` (and ${fresh.length - 1} more replicas)` : '';
  const note = `replica ${index} is terminated ${sayWhen(at, now)}, unless it recovers: ${cause}${more}`;
  return [warning(set, 'GangTerminationPending', note)];
}

export const announceErrors: Step = (context, set) =>
  announceErrorsBy((entry) =>
    isOfTermination(context, entry) ? 'PodCliqueSetReplicaDeleteFailed' : eventReason(entry),
  )(context, set);
