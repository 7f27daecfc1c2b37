// The step of a PodCliqueSet that plans its replicas. Work flows replica by replica: the first gang
// is complete before the last PodClique exists. All replicas are planned for a new template or at a
// start; later only those that were touched or come and go by another number.
import type { Intent } from '../../contract/intents.ts';
import type { Kind } from '../../contract/kind.ts';
import { idle } from '../../statechart/step.ts';
import { leavingOf, noneDesired, reconcileChildren } from '../children/reconcile.ts';
import { planReplicas } from '../children/replicas.ts';
import type { ReplicaPlan } from '../children/replicas.ts';
import {
  areOfReplicaThere,
  ensureOfReplica,
  removeOfReplica,
  sharedKey,
} from '../claims/replicas.ts';
import type { Shared } from '../claims/replicas.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';
import type { PlanOptions } from './children/scope.ts';
import { replicaGoes, replicaTable } from './children/table.ts';
import { refOf } from './context.ts';
import type { Replica, SetContext, Step } from './context.ts';
import { replicaChart } from './replica.ts';
import { areCommonClaimsThere, sharedIn } from './steps/claims.ts';
import { isTokenAwaited } from './token.ts';
import { topologyKey, topologyOf } from './topology.ts';

/** Only those that were touched, where nothing concerns all. */
export const ensureReplicas: Step = (context, set, now) => {
  const options = optionsOf(context, set);
  const plan = planReplicas(context, {
    own: set,
    now,
    chart: replicaChart,
    key: planKey(context, set),
    wanted: set.replicas,
    plan: (index, replica) => planOne(set, index, replica, options),
    drop: (index, replica) => dropOne(set, index, replica, options),
  });
  if (plan === undefined) return idle;
  const intents = [...plan.intents, ...tellSurplus(set, plan.removals)];
  return { intents, changes: plan.book };
};

/**
 * Whether PodCliques may be created, which claims can be made and how topology constraints
 * translate is part of the key: all replicas are looked at when it changes.
 */
const planKey = (context: SetContext, set: ObservedSet): string =>
  [
    set.planKey,
    String(isTokenAwaited(context, set)),
    topologyKey(context, set),
    sharedKey(sharedIn(context, set)),
  ].join(' ');

interface ReplicaOptions extends PlanOptions {
  readonly shared: Shared;
}

const optionsOf = (context: SetContext, set: ObservedSet): ReplicaOptions => ({
  mayCreate: !isTokenAwaited(context, set) && areCommonClaimsThere(context, set),
  schedulerName: backendOf(context, set),
  topology: topologyOf(context, set),
  makesDomains: context.settings.makesComputeDomains,
  shared: sharedIn(context, set),
});

/** An unknown one falls back to the default one (spec api 5.1); its pods say that it is unknown. */
function backendOf({ settings }: SetContext, { schedulerName }: ObservedSet): string {
  const isKnown = schedulerName !== undefined && settings.schedulerNames.includes(schedulerName);
  return isKnown ? schedulerName : settings.defaultSchedulerName;
}

function planOne(
  set: ObservedSet,
  index: number,
  replica: Replica,
  options: ReplicaOptions,
): ReplicaPlan {
  const areClaimsThere = areOfReplicaThere(options.shared, index);
  const mayCreate = options.mayCreate && areClaimsThere;
  const scope = { ...options, set, index, replica, mayCreate };
  const plan = reconcileChildren(replicaTable, set, replica.children, scope);
  const intents = [...ensureOfReplica(options.shared, index), ...plan.intents];
  const { published, hasAll } = plan;
  return { intents, published, isComplete: intents.length === 0 && areClaimsThere && hasAll };
}

/** All of it goes, by its index and whatever the counts say (spec controllers 10.2 gaps 8, 10 and
 *  11). */
function dropOne(
  set: ObservedSet,
  index: number,
  replica: Replica,
  { shared }: ReplicaOptions,
): ReplicaPlan {
  const reason = `replica ${index} is not wanted: spec.replicas is ${set.replicas}`;
  const leaving = leavingOf(replicaTable, replicaGoes, replica.children, set);
  const { PodClique: cliques, PodCliqueScalingGroup: groups } = replica.children;
  const isEmpty = cliques.size + groups.size === 0;
  const intents = [
    ...leaving.map(({ depart }) => depart(reason)),
    ...(isEmpty ? removeOfReplica(shared, index) : []),
  ];
  const published = noneDesired(replicaTable, set, replica.children);
  return { intents, published, isComplete: intents.length === 0 };
}

/** One event for each kind in a whole scale-in. */
function tellSurplus(set: ObservedSet, intents: readonly Intent[]): readonly Intent[] {
  const many = (kind: Kind): number =>
    intents.filter((intent) => intent.type === 'deleteObject' && intent.ref.kind === kind).length;
  const cliques = many('PodClique');
  const groups = many('PodCliqueScalingGroup');
  const note = `Scale-in to ${set.replicas} replicas: deleting`;
  const regarding = { ...refOf(set), uid: set.uid };
  const ofCliques: Intent = {
    type: 'recordEvent',
    regarding,
    severity: 'Normal',
    reason: 'PodCliqueDeleteSuccessful',
    note: `${note} ${cliques} PodCliques`,
  };
  const ofGroups: Intent = {
    type: 'recordEvent',
    regarding,
    severity: 'Normal',
    reason: 'PodCliqueScalingGroupDeleteSuccessful',
    note: `${note} ${groups} scaling groups`,
  };
  return [...(cliques > 0 ? [ofCliques] : []), ...(groups > 0 ? [ofGroups] : [])];
}
