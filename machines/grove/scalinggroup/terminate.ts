// The steps of a scaling group about the gang termination of its replicas, besides the plan of
// each: it records what must survive, waits for the next one that is due, and tells people.
import { announceErrorsBy, type ErrorEntry } from '../../contract/failure-log.ts';
import { maxListed } from '../../contract/limits.ts';
import { patchOf } from '../../contract/object-intents.ts';
import { sayWhen, type EpochMs } from '../../kubernetes/time.ts';
import { idle } from '../../statechart/step.ts';
import { living } from '../children/reconcile.ts';
import { dueBy, nextDue, replicaAt } from '../children/replicas.ts';
import { leftOf, sayLeft } from '../children/termination.ts';
import { isUsed, keepPatch } from '../objects/kept-replicas.ts';
import { placeOf } from '../objects/names.ts';
import type { ObservedGroup } from '../objects/scalinggroup.ts';
import { isIn, sourceOf, type GroupContext, type Step } from './context.ts';
import { eventReason } from './status.ts';
import { breachOf, isScaled, membersOf, tolerates } from './termination.ts';

/** Before the members of a replica go; and what was used is forgotten, whoever recorded it. */
export const keepReplicas: Step = (context, group, now) => {
  const source = sourceOf(context, group);
  const isIdle = context.dueAt.size + group.kept.size === 0;
  if (source === undefined || isIdle) return idle;
  const scaled = dueBy(context, now).flatMap((index) => {
    const replica = replicaAt(context, index);
    if (!isIn(replica, 'termination.due') || !tolerates(context, group)()) return [];
    return membersOf(group, replica).filter(
      (member) => !member.deleting && isScaled(group, source, member),
    );
  });
  const used = [...group.kept].flatMap(([name, entry]) => {
    const { replica: index = Infinity, slot = '' } = placeOf(group.name, name) ?? {};
    const isWanted = source.template.members.some((one) => one.name === slot);
    if (index >= group.replicas || !isWanted) return [name];
    const there = living(replicaAt(context, index).children.PodClique.get(slot), group);
    return there !== undefined && isUsed(entry, there) ? [name] : [];
  });
  const patch = keepPatch(group.kept, scaled, used);
  const { resourceVersion } = group;
  const reason = 'what PodCliques were scaled to survives their termination';
  const intents = patch === undefined ? [] : [patchOf(group, reason, patch, { resourceVersion })];
  return { intents, changes: {} };
};

/** For the next reconcile, and for `why`. */
export const awaitTermination: Step = (context, group, now) => {
  const until = nextDue(context, now);
  const say = (): readonly string[] => whyTermination(context, group, now);
  return { intents: [], changes: {}, waits: [{ ...(until !== undefined && { until }), say }] };
};

function whyTermination(
  context: GroupContext,
  group: ObservedGroup,
  now: EpochMs,
): readonly string[] {
  const source = sourceOf(context, group);
  if (source === undefined) return [];
  const soonest = [...context.dueAt].toSorted(([, a], [, b]) => a - b).slice(0, maxListed);
  return soonest.flatMap(([index]) => {
    const replica = replicaAt(context, index);
    const { termination } = replica;
    if (termination !== undefined && isIn(replica, 'termination.terminating')) {
      return [sayLeft(`group replica ${index}`, leftOf(termination, membersOf(group, replica)))];
    }
    const breach = breachOf(group, source, replica);
    if (breach === undefined) return [];
    if (isIn(replica, 'termination.breached')) {
      return [
        `group replica ${index} is terminated ${sayWhen(breach.dueAt, now)}: ${breach.cause}`,
      ];
    }
    return tolerates(context, group)()
      ? [`group replica ${index} is terminated once what its PodCliques were scaled to is recorded`]
      : [`group replica ${index} waits for its set: the whole group is in breach or updated`];
  });
}

/** A deletion that termination asks for, and that is refused. */
const isOfTermination = (context: GroupContext, { op, ref }: ErrorEntry): boolean => {
  const index = ref.kind === 'PodClique' ? placeOf(context.key.name, ref.name)?.replica : undefined;
  return (
    op === 'delete' &&
    index !== undefined &&
    isIn(replicaAt(context, index), 'termination.terminating')
  );
};

export const announceErrors: Step = (context, group) =>
  announceErrorsBy((entry) =>
    isOfTermination(context, entry)
      ? 'PodCliqueScalingGroupReplicaDeleteFailed'
      : eventReason(entry),
  )(context, group);
