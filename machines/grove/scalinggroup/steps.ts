// The steps of a PodCliqueScalingGroup besides those for its replicas: what it shares, what people
// are told of it, and its deletion.
import { ensureClaims } from '../claims/scope.ts';
import { isForeground } from '../../kubernetes/deletion.ts';
import { entries } from '../children/radix.ts';
import { leavingOf, type Leaving } from '../children/reconcile.ts';
import type { ObservedChild } from '../children/type.ts';
import { removeFinalizer } from '../finalizer.ts';
import type { ObservedGroup } from '../objects/scalinggroup.ts';
import { memberGoes, memberTable } from './children/member.ts';
import { problemOf, replicasIn, sharedIn, sourceOf } from './context.ts';
import type { GroupContext, Query, Step } from './context.ts';
import { idle } from '../../statechart/step.ts';
import { warning } from '../../contract/object-intents.ts';

/**
 * What a group that is being deleted wants: its members deleted, all at once, and our finalizer
 * gone as soon as each deletion was answered. A refused one is left to the garbage collector. Where
 * the user asked to keep the members only the finalizer goes (decision 0009).
 */
export const deleteAll: Step = (context, group) => {
  const isWaiting = deletionsAwaited(context, group).length > 0;
  return {
    intents: [
      ...membersToDelete(context, group).map(({ leaving }) =>
        leaving.depart('its PodCliqueScalingGroup is being deleted', isForeground(group)),
      ),
      ...(isWaiting ? [] : removeFinalizer(group)),
    ],
    changes: {},
  };
};

interface Leaver {
  readonly leaving: Leaving;
  readonly isRefused: boolean;
}

function membersToDelete(context: GroupContext, group: ObservedGroup): readonly Leaver[] {
  if (context.isOrphaning) return [];
  return Array.from(entries(context.replicas), ([, { children, refused }]) =>
    leavingOf(memberTable, memberGoes, children, group).map((leaving) => ({
      leaving,
      isRefused: refused.has(leaving.child.uid),
    })),
  ).flat();
}

/** Members that the finalizer waits for: their deletion was neither accepted nor refused. */
export const deletionsAwaited: Query<readonly ObservedChild[]> = (context, group) =>
  membersToDelete(context, group)
    .filter(({ isRefused }) => !isRefused)
    .map(({ leaving }) => leaving.child);

/** Must be visible at once (spec controllers 10.1 rule 34). Once, until some are scheduled
 *  again. */
export const announceLoss: Step = ({ isLossReported }, group) => {
  if (isLossReported) return idle;
  const note = `None of the ${group.observed.scheduledReplicas} scheduled replicas is left`;
  const intents = [warning(group, 'AllScheduledReplicasLost', note)];
  return { intents, changes: { isLossReported: true } };
};

export const forgetLoss: Step = (context) =>
  context.isLossReported && replicasIn(context, 'scheduling.scheduled') > 0
    ? { intents: [], changes: { isLossReported: false } }
    : idle;

/** The claims that all replicas share. */
export const ensureCommonClaims: Step = (context, group) => {
  const source = sourceOf(context, group);
  if (source === undefined || problemOf(group) !== undefined) return idle;
  return { intents: ensureClaims(sharedIn(context, group, source), undefined), changes: {} };
};
