// Why a PodCliqueScalingGroup is not available, in sentences for people, most important first.
import { maxListed } from '../../contract/limits.ts';
import { whyThere } from '../../kubernetes/deletion.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { living, whyMissing } from '../children/reconcile.ts';
import { replicaAt } from '../children/replicas.ts';
import { claimsAwaited, whyAwaited } from '../claims/scope.ts';
import { sayError } from '../failure-log.ts';
import { finalizer } from '../objects/labels.ts';
import { memberName } from '../objects/names.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import type { ObservedGroup } from '../objects/scalinggroup.ts';
import { isScheduled } from './children/member.ts';
import { isIn, problemsOfSharing, replicasIn, sharedIn, sourceOf } from './context.ts';
import type { GroupContext } from './context.ts';
import { deletionsAwaited } from './steps.ts';

export function whyTerminating(context: GroupContext, group: ObservedGroup): string {
  const waited = deletionsAwaited(context, group).map(({ name }) => `PodClique ${name}`);
  return whyThere(`PodCliqueScalingGroup ${group.name}`, group, { ours: finalizer.group, waited });
}

export const explainProblems = (context: GroupContext, group: ObservedGroup): readonly string[] => [
  ...problemsOfSharing(context, group).map(({ message }) => message),
  ...context.errors.map(sayError),
];

export function fine(context: GroupContext, group: ObservedGroup): string {
  const available = replicasIn(context, 'availability.available');
  return `${available} of ${group.replicas} replicas are available; nothing is waited for`;
}

export function whyNoSource({ set }: GroupContext, group: ObservedGroup): string {
  const name = group.set === '' ? 'its PodCliqueSet' : `PodCliqueSet ${group.set}`;
  if (set === undefined) return `${name} was not seen: members are made from its template`;
  if (set.problem !== undefined) return `${name} cannot be acted upon: ${set.problem.message}`;
  return group.owner?.uid === set.uid
    ? `${name} has no scaling group for ${group.name} in its template`
    : `PodCliqueScalingGroup ${group.name} belongs to another owner than the ${name} that is there`;
}

export function whyReplicas(context: GroupContext, group: ObservedGroup): readonly string[] {
  const reasons: string[] = [];
  const source = sourceOf(context, group);
  if (source === undefined) return reasons;
  const shared = sharedIn(context, group, source);
  for (let index = 0; index < shared.replicas; index++) {
    const replica = replicaAt(context, index);
    const isPending = replica.states.length === 0 || isIn(replica, 'members.pending');
    if (!isPending && isIn(replica, 'availability.available')) continue;
    const claims = claimsAwaited(shared, index).map(whyAwaited);
    const fresh = claims.filter((reason) => !reasons.includes(reason));
    reasons.push(...fresh, ...whyReplica(context, group, index));
    if (reasons.length >= maxListed) break;
  }
  return reasons;
}

function whyReplica(context: GroupContext, group: ObservedGroup, index: number): readonly string[] {
  const { PodClique: members } = replicaAt(context, index).children;
  const templates = sourceOf(context, group)?.template.members ?? [];
  return templates.flatMap(({ name }) => {
    const there = members.get(name);
    const what = `PodClique ${memberName(group.name, index, name)}`;
    const member = living(there, group);
    return member === undefined
      ? [whyMissing(what, there, 'group of this name')]
      : whyNotReady(what, member);
  });
}

function whyNotReady(what: string, member: ObservedClique): readonly string[] {
  const { readyReplicas, scheduledReplicas } = member.observed;
  if (readyReplicas >= member.minAvailable && isScheduled(member)) return [];
  const ready = `${readyReplicas} of at least ${member.minAvailable} pods ready`;
  return [`${what}: ${ready}, ${scheduledReplicas} scheduled`];
}

/** For `/actors` and `ask state`. */
export function view(context: GroupContext): JsonObject {
  const { group } = context;
  if (group === undefined) return { set: context.set?.uid ?? null };
  return {
    uid: group.uid,
    generation: group.generation,
    wanted: group.replicas,
    minAvailable: group.minAvailable,
    scheduled: replicasIn(context, 'scheduling.scheduled'),
    available: replicasIn(context, 'availability.available'),
    updated: replicasIn(context, 'update.updated'),
    sound: replicasIn(context, 'breach.sound'),
    pending: replicasIn(context, 'members.pending'),
    errors: context.errors.map(sayError),
  };
}
