// The memory of a scalinggroup actor: its object, its PodCliqueSet for the template, and the member
// PodCliques by replica; how it takes what happens into that, and the questions that all steps ask.
import type { ActorKey, ObjectRef } from '../../contract/address.ts';
import type { ActorInput } from '../../contract/behaviour.ts';
import { isOwnedBy } from '../../kubernetes/meta.ts';
import type { Rule } from '../../statechart/region.ts';
import type { StepResult } from '../../statechart/step.ts';
import { emptyBook, type Replica, type ReplicaBook } from '../children/replicas.ts';
import { ownSeen, resolved, withErrors } from '../../contract/failure-log.ts';
import type { FailedEffect } from '../../contract/failure-log.ts';
import { maxReplicasPerGroup } from '../objects/limits.ts';
import { placeOf } from '../objects/names.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';
import type { ObservedGroup } from '../objects/scalinggroup.ts';
import type { Problem } from '../objects/set-problem.ts';
import { memberTable, type ObservedMembers, type Source } from './children/member.ts';
import { problemsOfClaims, type ClaimScope } from '../claims/scope.ts';
import { label } from '../objects/labels.ts';
import {
  claimsOf,
  reduceSharing,
  startSharer,
  withFailedWrite,
  withTouched,
  type SharingContext,
} from '../claims/reduce.ts';
import type { CommonEvent } from '../../contract/events.ts';
import { isOrphaning } from '../../kubernetes/deletion.ts';
import { withChildOf, withoutErrorsOf, type ChildEvent } from '../children/reduce.ts';
import type { SetEvent, SharingEvent } from '../views/claim-template.ts';
import { noTurn, withRollout, type RolloutEvent, type Turn } from '../views/rollout.ts';
import { unwritten, type Progress } from '../objects/progress.ts';
import type { GroupTermination, TerminationEvent } from '../views/termination.ts';

export type GroupReplica = Replica<ObservedMembers>;

export interface GroupContext extends ReplicaBook<ObservedMembers>, SharingContext, Turn {
  readonly root: ActorKey;
  readonly group: ObservedGroup | undefined;
  /** The PodCliqueSet that the name and the tree say; `sourceOf` asks whether it is the owner. */
  readonly set: ObservedSet | undefined;
  readonly isLossReported: boolean;
  /** What the status is to say of the update, until it is written; undefined: what it says. */
  readonly decided: { readonly progress: Progress<number> | undefined } | undefined;
  /** That the set has terminated its replica of the set. */
  readonly terminated: GroupTermination | undefined;
}

export type Result = StepResult<GroupContext>;
export type Step = Rule<GroupContext, ObservedGroup, Result>;

/** What is asked of the actor and its object. */
export type Query<R> = (context: GroupContext, own: ObservedGroup) => R;

export const startContext = ({ key, root }: ActorInput): GroupContext => ({
  ...startSharer,
  ...noTurn,
  key,
  root,
  group: undefined,
  set: undefined,
  ...emptyBook<ObservedMembers>({ PodClique: new Map() }),
  isLossReported: false,
  decided: undefined,
  terminated: undefined,
});

/** What members are compared with. */
export interface Compared {
  readonly group: ObservedGroup;
  /** Undefined: nothing is known of the template. */
  readonly source: Source | undefined;
}

/** Names of the states of a replica. */
type ReplicaState =
  | 'members.pending'
  | 'scheduling.scheduled'
  | 'availability.available'
  | 'update.updated'
  | 'update.reached'
  | 'breach.sound'
  | 'template.ready'
  | 'template.unready'
  | 'termination.breached'
  | 'termination.due'
  | 'termination.terminating';

export const replicasIn = ({ totals }: Pick<GroupContext, 'totals'>, state: ReplicaState): number =>
  totals.get(state) ?? 0;

export const isIn = ({ states }: GroupReplica, state: ReplicaState): boolean =>
  states.includes(state);

/**
 * Undefined while the owner or its template of this group is not there: then nothing is created.
 * An earlier or later set of this name is no owner.
 */
export function sourceOf({ set }: GroupContext, group: ObservedGroup): Source | undefined {
  if (set === undefined || !isOwnedBy(group, 'PodCliqueSet', set.uid)) return undefined;
  const place = placeOf(set.name, group.name);
  const template = set.groups.find(({ name }) => name === place?.slot);
  if (place === undefined || template === undefined || set.problem !== undefined) return undefined;
  return { set, replica: place.replica, template };
}

/** Why this spec cannot be acted upon, if so. */
export function problemOf(group: ObservedGroup): Problem | undefined {
  if (group.replicas <= maxReplicasPerGroup) return undefined;
  const message = `spec.replicas is ${group.replicas}; at most ${maxReplicasPerGroup} are handled`;
  return { code: 'ERR_CREATE_PODCLIQUES', message };
}

/** The ResourceClaims of the group itself. */
export const sharedIn = (
  context: GroupContext,
  group: ObservedGroup,
  { set, template }: Source,
): ClaimScope => ({
  owner: group,
  set,
  sharedClaims: template.sharedClaims,
  claimsIn: claimsOf(context),
  replicas: Math.min(group.replicas, maxReplicasPerGroup),
  labels: { [label.scalingGroup]: group.name },
  indexLabel: label.scalingGroupIndex,
  templates: context.templates,
  code: 'ERR_SYNC_PCSG_RESOURCE_CLAIM',
  place: `scaling group "${template.name}"`,
});

/** Templates that claims are to be made from and that are not there. */
export function problemsOfSharing(context: GroupContext, group: ObservedGroup): readonly Problem[] {
  const source = sourceOf(context, group);
  return source === undefined ? [] : problemsOfClaims(sharedIn(context, group, source));
}

export type GroupEvent =
  | CommonEvent
  | SharingEvent
  | RolloutEvent
  | { readonly type: 'group.observed'; readonly observed: ObservedGroup }
  | { readonly type: 'group.gone'; readonly uid: string }
  | SetEvent
  | TerminationEvent
  | ChildEvent;

/** The next context, or the same one where the event is no news. */
export function reduce(context: GroupContext, event: GroupEvent): GroupContext {
  switch (event.type) {
    case 'group.observed':
      return withGroup(context, event.observed);
    case 'setTemplate.read':
      return { ...context, set: event.value };
    case 'rollout.read':
    case 'rolloutTurn.read':
      return withRollout(context, event);
    case 'groupTermination.read':
      return { ...context, terminated: event.value };
    case 'child.observed':
    case 'child.gone':
      return withChild(context, event);
    case 'claim.observed':
    case 'claim.gone':
    case 'claimTemplate.read':
      return reduceSharing(context, event);
    case 'effect.failed':
      return withReplicaOf(withFailed(context, event), event.ref);
    case 'effect.done':
      return withReplicaOf(withErrors(context, resolved(context.errors, event.ref)), event.ref);
    case 'effect.retry':
      return withReplicaOf(context, event.ref);
    case 'group.gone':
      return context.group?.uid === event.uid ? { ...context, isGone: true } : context;
    default:
      return context;
  }
}

function withGroup(context: GroupContext, observed: ObservedGroup): GroupContext {
  const seen = ownSeen(context, context.group, observed);
  if (seen === undefined) return context;
  return {
    ...context,
    ...seen,
    group: observed,
    decided: unwritten(context.group?.uid === observed.uid ? context.decided : undefined, {
      progress: observed.observed.progress,
    }),
    // The new chance is one for any replica.
    ...(context.errors.length > seen.errors.length ? { planned: undefined } : {}),
    isOrphaning: context.isOrphaning || isOrphaning(observed),
  };
}

function withChild(context: GroupContext, event: ChildEvent): GroupContext {
  const next = withChildOf(memberTable, context, context.key.name, event);
  return withErrors(next, withoutErrorsOf(context.errors, event, context.key.namespace));
}

const withFailed = (context: GroupContext, event: FailedEffect): GroupContext =>
  withFailedWrite(memberTable, context, event, context.group?.replicas ?? 0);

/** Something happened that is no fact: the replica that it is about is planned again. */
const withReplicaOf = (context: GroupContext, ref: ObjectRef): GroupContext =>
  withTouched(memberTable, context, ref);
