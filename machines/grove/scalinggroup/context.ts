// The memory of a scalinggroup actor: its object, its PodCliqueSet for the template, and the member
// PodCliques by replica. Questions that all steps ask are answered here.
import type { ActorKey } from '../../contract/address.ts';
import type { ActorInput } from '../../contract/behaviour.ts';
import { isOwnedBy } from '../../kubernetes/meta.ts';
import type { Rule } from '../../statechart/region.ts';
import type { StepResult } from '../../statechart/step.ts';
import { emptyBook, type Replica, type ReplicaBook } from '../children/replicas.ts';
import type { FailureLog } from '../failure-log.ts';
import { noClaims, type Claims, type Templates } from '../objects/claims.ts';
import { maxReplicasPerGroup } from '../objects/limits.ts';
import { placeOf } from '../objects/names.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';
import type { ObservedGroup } from '../objects/scalinggroup.ts';
import type { Problem } from '../objects/set-problem.ts';
import type { ObservedMembers, Source } from './children/member.ts';
import { problemsOfClaims, type ClaimScope } from '../claims/scope.ts';
import { label } from '../objects/labels.ts';
import { claimsOf } from '../claims/reduce.ts';

export type GroupReplica = Replica<ObservedMembers>;

export interface GroupContext extends ReplicaBook<ObservedMembers> {
  readonly key: ActorKey;
  readonly root: ActorKey;
  readonly group: ObservedGroup | undefined;
  readonly isGone: boolean;
  /** The PodCliqueSet that the name and the tree say; `sourceOf` asks whether it is the owner. */
  readonly set: ObservedSet | undefined;
  /** The group's own ResourceClaims that all replicas share. */
  readonly claims: Claims;
  /** Claim templates of the cluster that the set refers to. */
  readonly templates: Templates;
  readonly errors: FailureLog;
  /** The group was deleted with its members to be kept: said by a finalizer, which others take away
   *  before us. */
  readonly isOrphaning: boolean;
  readonly isLossReported: boolean;
}

export type Result = StepResult<GroupContext>;
export type Step = Rule<GroupContext, ObservedGroup, Result>;

export const startContext = ({ key, root }: ActorInput): GroupContext => ({
  key,
  root,
  group: undefined,
  isGone: false,
  set: undefined,
  ...emptyBook<ObservedMembers>({ PodClique: new Map() }),
  claims: noClaims,
  templates: new Map(),
  errors: [],
  isOrphaning: false,
  isLossReported: false,
});

/** Names of the states of a replica. */
type ReplicaState =
  | 'members.pending'
  | 'scheduling.scheduled'
  | 'availability.available'
  | 'update.updated'
  | 'update.reached'
  | 'breach.sound';

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
