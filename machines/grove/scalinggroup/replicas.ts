// The step of a scaling group that plans its replicas: every one that is wanted has its members,
// and those at or above spec.replicas go, each by its index and whatever the counts say, the
// highest first: a hole leaks nothing (spec controllers 10.2 gap 9). Their PodGangs are the set's.
import type { Intent } from '../../contract/intents.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import { idle } from '../../statechart/step.ts';
import { leavingOf, reconcileChildren } from '../children/reconcile.ts';
import { planReplicas } from '../children/replicas.ts';
import type { ReplicaPlan } from '../children/replicas.ts';
import {
  areCommonThere,
  areOfReplicaThere,
  ensureOfReplica,
  removeOfReplica,
  sharedKey,
} from '../claims/replicas.ts';
import type { Shared } from '../claims/replicas.ts';
import { maxReplicasPerGroup } from '../objects/limits.ts';
import { placeOf } from '../objects/place.ts';
import type { ObservedGroup } from '../objects/scalinggroup.ts';
import { memberGoes, memberTable } from './children/member.ts';
import type { Source } from './children/member.ts';
import { sourceOf } from './context.ts';
import type { GroupContext, GroupReplica, Result, Step } from './context.ts';
import { replicaChart } from './replica.ts';
import { sharedIn } from './steps/claims.ts';

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
  { replica, shared }: { readonly replica: GroupReplica; readonly shared: Shared },
): ReplicaPlan {
  const areThere = areCommonThere(shared) && areOfReplicaThere(shared, index);
  const scope = { group, source, index, mayCreate: areThere };
  const plan = reconcileChildren(memberTable, group, replica.children, scope);
  const intents = [...ensureOfReplica(shared, index), ...plan.intents];
  return { intents, isComplete: intents.length === 0 && areThere && plan.hasAll };
}

/** More than are handled stay as they are: they are wanted. */
function dropOne(
  group: ObservedGroup,
  index: number,
  { replica, shared }: { readonly replica: GroupReplica; readonly shared: Shared | undefined },
): ReplicaPlan {
  if (index < group.replicas) return { intents: [], isComplete: true };
  const reason = `group replica ${index} is not wanted: spec.replicas is ${group.replicas}`;
  const leaving = leavingOf(memberTable, memberGoes, replica.children, group);
  const isEmpty = replica.children.PodClique.size === 0;
  const intents = [
    ...leaving.map(({ depart }) => depart(reason)),
    ...(isEmpty && shared !== undefined ? removeOfReplica(shared, index) : []),
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
  const { namespace, name, uid } = set;
  return [
    {
      type: 'recordEvent',
      regarding: { kind: 'PodCliqueSet', namespace, name, uid },
      severity: 'Normal',
      reason: 'PodCliqueScalingGroupReplicaDeleteSuccessful',
      note: `Scale-in of ${group.name} to ${group.replicas}: deleting ${many} replicas`,
    },
  ];
}
