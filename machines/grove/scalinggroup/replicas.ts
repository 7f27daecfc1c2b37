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
import { isScheduled, memberGoes, memberTable } from './children/member.ts';
import type { ObservedMembers, Source } from './children/member.ts';
import { sharedIn, sourceOf } from './context.ts';
import { isOpen } from './rollout.ts';
import { planTermination, tellBreaches, terminationRegion, tolerates } from './termination.ts';
import type { TerminationOf } from './termination.ts';
import type { Compared, GroupContext, GroupReplica, Result, Step } from './context.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import { rowChart } from '../../statechart/rows.ts';
import { isSoundStatus } from '../objects/breach.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import type { CliqueTemplate } from '../objects/template.ts';
import { normal } from '../../contract/object-intents.ts';

export const ensureReplicas: Step = (context, group, now) => plan(context, group, now, true);

/** Of a spec that no member can be made from: only what is too many goes. */
export const removeSurplus: Step = (context, group, now) => plan(context, group, now, false);

function plan(context: GroupContext, group: ObservedGroup, now: EpochMs, mayPlan: boolean): Result {
  const source = sourceOf(context, group);
  const shared = source && sharedIn(context, group, source);
  const moment = { now, plannedSince: context.plannedSince ?? now };
  const mayTerminate = tolerates(context, group);
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
      isOpen(context, group),
    ].join(' '),
    wanted: Math.min(group.replicas, maxReplicasPerGroup),
    plan: (index, replica) =>
      source === undefined || shared === undefined || !mayPlan
        ? nothing
        : planOne({ group, source }, index, {
            replica,
            shared,
            isReplaceable: isOpen(context, group),
            ...moment,
            mayTerminate,
          }),
    drop: (index, replica) => dropOne(group, index, { replica, shared }),
  });
  if (planned === undefined) return idle;
  return {
    intents: [
      ...planned.intents,
      ...tellSurplus(context, group, planned.removals),
      ...tellBreaches(context, planned.book, group, now),
    ],
    changes: planned.book,
  };
}

/** More than are handled are wanted all the same: another such number lets others go. */
const atLeast = ({ replicas }: ObservedGroup): number => Math.max(replicas, maxReplicasPerGroup);

const nothing: ReplicaPlan = { intents: [], isComplete: false };

/** Of a replica that is being replaced no member comes before the last of the older ones goes: it
 *  would be taken for one of them. */
function planOne(
  { group, source }: { readonly group: ObservedGroup; readonly source: Source },
  index: number,
  { replica, shared, isReplaceable, ...when }: PlanOf,
): ReplicaPlan {
  const areThere = areClaimsThere(shared, undefined) && areClaimsThere(shared, index);
  const isGoing = isReplaceable && isOld(replica, { group, source });
  const scope = { group, source, index, mayCreate: areThere && !isGoing };
  const plan = reconcileChildren(memberTable, group, replica.children, scope);
  const { said, ...end } = planTermination(group, source, index, { replica, ...when });
  const intents = [...ensureClaims(shared, index), ...plan.intents, ...end.intents];
  const isComplete = intents.length === 0 && areThere && plan.hasAll;
  return { ...end, intents: [...intents, ...said], isComplete };
}

interface PlanOf extends TerminationOf {
  readonly shared: ClaimScope;
  /** What is of an older template is being replaced, or may be. */
  readonly isReplaceable: boolean;
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
const isUpdated: Test = (member, template, source) => {
  const { observed, minAvailable } = member;
  const many = Math.min(observed.readyReplicas, observed.updatedReplicas);
  return many >= minAvailable && isReached(member, template, source);
};

const isSound: Test = ({ observed }) => isSoundStatus(observed.breach);

/** Some member is of an older template. */
const isOld = ({ children }: GroupReplica, { group, source }: Compared): boolean =>
  (source?.template.members ?? []).some(({ name, hash }) => {
    const member = living(children.PodClique.get(name), group);
    return member !== undefined && member.templateHash !== hash;
  });

/** Members that have reached the set's generation with enough ready pods. */
function updatedMembers({ children }: GroupReplica, { group, source }: Compared): number {
  if (source === undefined) return 0;
  return source.template.members.filter((template) => {
    const member = living(children.PodClique.get(template.name), group);
    return member !== undefined && isUpdated(member, template, source);
  }).length;
}

export const replicaChart = rowChart<Row, Compared>(
  {
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
    /** Of an older template: some member is. */
    template: classified({
      current: ({ replica, isWanted }, compared) => !isWanted || !isOld(replica, compared),
      ready: isEach(isReady),
      unready: otherwise,
    }),
    termination: terminationRegion,
  },
  {
    'members.updated': (row, of) => (row.isWanted ? updatedMembers(row.replica, of) : 0),
  },
);
