// The memory of a scalinggroup actor: its object, its PodCliqueSet for the template, and the member
// PodCliques by replica. Questions that all steps ask are answered here.
import type { MachineInput } from '../behaviour.ts';
import { noClaims } from '../claims/facts.ts';
import type { Claims, Templates } from '../claims/facts.ts';
import type { ErrorBook, Problem } from '../errorbook.ts';
import { maxReplicasPerGroup } from '../limits.ts';
import { isOwnedBy } from '../meta.ts';
import type { CliqueFact } from '../podclique/facts.ts';
import type { SetFact } from '../podcliqueset/facts.ts';
import { placeOf } from '../podcliqueset/names.ts';
import type { GroupTemplate } from '../podcliqueset/template.ts';
import { emptyRadix, get, set as place } from '../radix.ts';
import type { Radix } from '../radix.ts';
import type { Rule } from '../statechart/region.ts';
import type { StepResult } from '../statechart/step.ts';
import type { ActorKey } from '../vocabulary.ts';
import type { GroupFact } from './facts.ts';

/** What was observed of one replica. Never changed: a new one takes its place. */
export interface GroupReplica {
  /** By name of the clique in the template. */
  readonly members: ReadonlyMap<string, CliqueFact>;
  /** UIDs of members whose deletion was refused. */
  readonly refused: ReadonlySet<string>;
  /** The group's own ResourceClaims that only this replica shares. */
  readonly claims: Claims;
}

export interface GroupContext {
  readonly key: ActorKey;
  readonly root: ActorKey;
  readonly group: GroupFact | undefined;
  readonly isGone: boolean;
  /** The PodCliqueSet that the name and the tree say; `sourceOf` asks whether it is the owner. */
  readonly set: SetFact | undefined;
  readonly replicas: Radix<GroupReplica>;
  /** The group's own ResourceClaims that all replicas share. */
  readonly claims: Claims;
  /** Claim templates of the cluster that the set refers to. */
  readonly templates: Templates;
  readonly errors: ErrorBook;
  /** The group was deleted with its members to be kept: said by a finalizer, which others take away
   *  before us. */
  readonly isOrphaning: boolean;
  readonly isLossTold: boolean;
  /** The highest index whose removal was told. */
  readonly toldSurplus: number | undefined;
}

export type Result = StepResult<GroupContext>;
export type Step = Rule<GroupContext, GroupFact, Result>;

export const refOf = ({ namespace, name }: GroupFact) =>
  ({ kind: 'PodCliqueScalingGroup', namespace, name }) as const;

export const emptyReplica: GroupReplica = {
  members: new Map(),
  refused: new Set(),
  claims: noClaims,
};

export const startContext = ({ key, root }: MachineInput): GroupContext => ({
  key,
  root,
  group: undefined,
  isGone: false,
  set: undefined,
  replicas: emptyRadix,
  claims: noClaims,
  templates: new Map(),
  errors: [],
  isOrphaning: false,
  isLossTold: false,
  toldSurplus: undefined,
});

export const replicaAt = ({ replicas }: GroupContext, index: number): GroupReplica =>
  get(replicas, index) ?? emptyReplica;

/** The context with this replica as it is now; one without anything is forgotten. */
export const withReplica = (
  context: GroupContext,
  index: number,
  replica: GroupReplica,
): GroupContext => {
  const isEmpty = replica.members.size + replica.claims.size === 0;
  return { ...context, replicas: place(context.replicas, index, isEmpty ? undefined : replica) };
};

/** The member if it is controlled by this very group and stays. */
export const living = (member: CliqueFact | undefined, group: GroupFact): CliqueFact | undefined =>
  member !== undefined && !member.deleting && isOwnedBy(member, 'PodCliqueScalingGroup', group.uid)
    ? member
    : undefined;

export const livingMembers = (replica: GroupReplica, group: GroupFact): readonly CliqueFact[] =>
  [...replica.members.values()].filter((member) => living(member, group) !== undefined);

/** Where members come from: the set, which of its replicas this is, and the group's template. */
export interface Source {
  readonly set: SetFact;
  readonly replica: number;
  readonly template: GroupTemplate;
}

/**
 * Undefined while the owner or its template of this group is not there: then nothing is created.
 * An earlier or later set of this name is no owner.
 */
export function sourceOf({ set }: GroupContext, group: GroupFact): Source | undefined {
  if (set === undefined || !isOwnedBy(group, 'PodCliqueSet', set.uid)) return undefined;
  const place = placeOf(set.name, group.name);
  const template = set.groups.find(({ name }) => name === place?.rest);
  if (place === undefined || template === undefined || set.problem !== undefined) return undefined;
  return { set, replica: place.replica, template };
}

/** Why this spec cannot be acted upon, if so. */
export function problemOf(group: GroupFact): Problem | undefined {
  if (group.replicas <= maxReplicasPerGroup) return undefined;
  const message = `spec.replicas is ${group.replicas}; at most ${maxReplicasPerGroup} are handled`;
  return { code: 'ERR_CREATE_PODCLIQUES', message };
}
