// The step of a scaling group that plans its replicas: every one that is wanted has its members,
// and those at or above spec.replicas go, each by its index and whatever the counts say, the
// highest first: a hole leaks nothing (spec controllers 10.2 gap 9). Their PodGangs are the set's.
import { areClaimsThere, ensureClaims, removeStaleClaims, sharedKey } from '../claims/scope.ts';
import type { ClaimScope } from '../claims/scope.ts';
import type { Intent } from '../../contract/intents.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import { idle } from '../../statechart/step.ts';
import { leavingOf, living, reconcileChildren } from '../children/reconcile.ts';
import { planReplicas, type FoundReplica, type ReplicaPlan } from '../children/replicas.ts';
import { maxReplicasPerGroup } from '../objects/limits.ts';
import { placeOf } from '../objects/names.ts';
import type { ObservedGroup } from '../objects/scalinggroup.ts';
import { breachOf, isScheduled, memberGoes, memberTable } from './children/member.ts';
import type { ObservedMembers, Source } from './children/member.ts';
import { sharedIn, sourceOf } from './context.ts';
import type { GroupContext, GroupReplica, Result, Step } from './context.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import { rowChart } from '../../statechart/rows.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import type { CliqueTemplate } from '../objects/template.ts';
import { normal } from '../../contract/object-intents.ts';

export const ensureReplicas: Step = (context, group, now) => plan(context, group, now, true);

/** Of a spec that no member can be made from: only what is too many goes. */
export const removeSurplus: Step = (context, group, now) => plan(context, group, now, false);

function plan(context: GroupContext, group: ObservedGroup, now: EpochMs, mayPlan: boolean): Result {
  const source = sourceOf(context, group);
  const shared = source && sharedIn(context, group, source);
  const planned = planReplicas(context, {
    own: { group, source },
    now,
    chart: replicaChart,
    key: [
      group.uid,
      mayPlan,
      atLeast(group),
      source?.set.planKey,
      shared && sharedKey(shared),
    ].join(' '),
    wanted: Math.min(group.replicas, maxReplicasPerGroup),
    plan: (index, replica) =>
      source === undefined || shared === undefined || !mayPlan
        ? nothing
        : planOne(group, source, index, { replica, shared }),
    drop: (index, replica) => dropOne(group, index, { replica, shared }),
  });
  if (planned === undefined) return idle;
  return {
    intents: [...planned.intents, ...tellSurplus(context, group, planned.removals)],
    changes: planned.book,
  };
}

/** More than are handled are wanted all the same: another such number lets others go. */
const atLeast = ({ replicas }: ObservedGroup): number => Math.max(replicas, maxReplicasPerGroup);

const nothing: ReplicaPlan = { intents: [], isComplete: false };

function planOne(
  group: ObservedGroup,
  source: Source,
  index: number,
  { replica, shared }: { readonly replica: GroupReplica; readonly shared: ClaimScope },
): ReplicaPlan {
  const areThere = areClaimsThere(shared, undefined) && areClaimsThere(shared, index);
  const scope = { group, source, index, mayCreate: areThere };
  const plan = reconcileChildren(memberTable, group, replica.children, scope);
  const intents = [...ensureClaims(shared, index), ...plan.intents];
  return { intents, isComplete: intents.length === 0 && areThere && plan.hasAll };
}

/** More than are handled stay as they are: they are wanted. */
function dropOne(
  group: ObservedGroup,
  index: number,
  { replica, shared }: { readonly replica: GroupReplica; readonly shared: ClaimScope | undefined },
): ReplicaPlan {
  if (index < group.replicas) return { intents: [], isComplete: true };
  const reason = `group replica ${index} is not wanted: spec.replicas is ${group.replicas}`;
  const leaving = leavingOf(memberTable, memberGoes, replica.children, group);
  const isEmpty = replica.children.PodClique.size === 0;
  const intents = [
    ...leaving.map(({ depart }) => depart(reason)),
    ...(isEmpty && shared !== undefined ? removeStaleClaims(shared, index) : []),
  ];
  return { intents, isComplete: intents.length === 0 };
}

/** One event for a whole scale-in, on the set as in Grove (spec controllers 9.3). */
function tellSurplus(
  { set }: GroupContext,
  group: ObservedGroup,
  removals: readonly Intent[],
): readonly Intent[] {
  const members = removals.flatMap((intent) =>
    intent.type === 'deleteObject' && intent.ref.kind === 'PodClique' ? [intent.ref.name] : [],
  );
  const many = new Set(members.map((name) => placeOf(group.name, name)?.replica)).size;
  if (set === undefined || many === 0) return [];
  const note = `Scale-in of ${group.name} to ${group.replicas}: deleting ${many} replicas`;
  return [normal(set, 'PodCliqueScalingGroupReplicaDeleteSuccessful', note)];
}

/** What members are compared with. */
export interface Compared {
  readonly group: ObservedGroup;
  /** Undefined: nothing is known of the template. */
  readonly source: Source | undefined;
}

type Row = FoundReplica<ObservedMembers>;
type Test = (member: ObservedClique, template: CliqueTemplate, source: Source) => boolean;

/** Every member is there, stays, and is so; there is at least one. */
const isEach =
  (test: Test) =>
  ({ replica, isWanted }: Row, { group, source }: Compared): boolean => {
    const templates = source?.template.members ?? [];
    if (!isWanted || source === undefined || templates.length === 0) return false;
    return templates.every((template) => {
      const member = living(replica.children.PodClique.get(template.name), group);
      return member !== undefined && test(member, template, source);
    });
  };

const isReady: Test = (member) =>
  isScheduled(member) && member.observed.readyReplicas >= member.minAvailable;

/** It has reached the set's generation, ready or not. */
const isReached: Test = ({ templateHash, observed }, { hash }, { set }) =>
  templateHash === hash &&
  observed.templateHash === hash &&
  observed.generationHash === set.generationHash;

/** With enough ready pods. */
export const isUpdated: Test = (member, template, source) => {
  const { observed, minAvailable } = member;
  const many = Math.min(observed.readyReplicas, observed.updatedReplicas);
  return many >= minAvailable && isReached(member, template, source);
};

const isSound: Test = (member) => {
  const breach = breachOf(member);
  return breach !== undefined && breach !== 'True';
};

export const replicaChart = rowChart<Row, Compared>({
  members: classified({ complete: ({ isComplete }) => isComplete, pending: otherwise }),
  scheduling: classified({ scheduled: isEach(isScheduled), unscheduled: otherwise }),
  availability: classified({ available: isEach(isReady), unavailable: otherwise }),
  update: classified({
    updated: isEach((...of) => isReady(...of) && isUpdated(...of)),
    /** At the set's generation. */
    reached: isEach(isReached),
    outdated: otherwise,
  }),
  /** Ready: updated, and that without pods that are going. */
  readiness: classified({
    ready: isEach((...of) => of[0].observed.isSufficient && isReady(...of) && isUpdated(...of)),
    unready: otherwise,
  }),
  /** Sound: complete, and no member is breached or unknown. */
  breach: classified({ sound: isEach(isSound), unsound: otherwise }),
});
