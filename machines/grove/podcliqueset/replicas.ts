// The step of a PodCliqueSet that plans its replicas. Work flows replica by replica: the first gang
// is complete before the last PodClique exists. All replicas are planned for a new template or at a
// start; later only those that were touched or come and go by another number.
import { areClaimsThere, ensureClaims, removeStaleClaims, sharedKey } from '../claims/scope.ts';
import type { ClaimScope } from '../claims/scope.ts';
import type { Intent } from '../../contract/intents.ts';
import type { Kind } from '../../contract/kind.ts';
import { idle } from '../../statechart/step.ts';
import { leavingOf, noneDesired, reconcileChildren } from '../children/reconcile.ts';
import type { Moment } from '../children/termination.ts';
import { planReplicas, type FoundReplica, type ReplicaPlan } from '../children/replicas.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';
import { isIn, replicasIn, sharedIn, topologyOf } from './context.ts';
import type { PlanOptions, Query, Replica, SetContext, Step } from './context.ts';
import { replicaGoes, replicaTable } from './children/table.ts';
import { tellBreaches } from './steps/terminate.ts';
import { planTermination, terminationRegion } from './termination.ts';
import { isTokenAwaited } from './token.ts';
import { topologyKey } from './topology.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import { rowChart } from '../../statechart/rows.ts';
import type { ObservedChildren } from '../objects/set-children.ts';
import {
  hasNoneScheduled,
  isReplicaAvailable,
  isReplicaDone,
  isReplicaReady,
  isReplicaUpdated,
  updatedCliques,
  updatedGroups,
} from './status.ts';
import { maxListed } from '../../contract/limits.ts';
import { entries } from '../children/radix.ts';
import { normal } from '../../contract/object-intents.ts';
import type { NormalReasons } from '../../contract/event-reasons.ts';

/** Only those that were touched, where nothing concerns all. */
export const ensureReplicas: Step = (context, set, now) => {
  const options = optionsOf(context, set);
  const moment = { now, plannedSince: context.plannedSince ?? now };
  const plan = planReplicas(context, {
    own: set,
    now,
    chart: replicaChart,
    key: planKey(context, set),
    wanted: set.replicas,
    plan: (index, replica) => planOne(set, index, replica, { ...options, ...moment }),
    drop: (index, replica) => dropOne(set, index, replica, options),
  });
  if (plan === undefined) return idle;
  const intents = [
    ...plan.intents,
    ...tellSurplus(set, plan.removals),
    ...tellBreaches(context, plan.book, set, now),
  ];
  return { intents, changes: plan.book };
};

/**
 * Whether PodCliques may be created, which claims can be made and how topology constraints
 * translate is part of the key: all replicas are looked at when it changes.
 */
const planKey: Query<string> = (context, set) =>
  [
    set.planKey,
    String(isTokenAwaited(context, set)),
    topologyKey(context, set),
    sharedKey(sharedIn(context, set)),
  ].join(' ');

interface ReplicaOptions extends PlanOptions {
  readonly shared: ClaimScope;
}

const optionsOf: Query<ReplicaOptions> = (context, set) => ({
  mayCreate: !isTokenAwaited(context, set) && areClaimsThere(sharedIn(context, set), undefined),
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
  options: ReplicaOptions & Moment,
): ReplicaPlan {
  const hasClaims = areClaimsThere(options.shared, index);
  const mayCreate = options.mayCreate && hasClaims;
  const scope = { ...options, set, index, replica, mayCreate };
  const plan = reconcileChildren(replicaTable, set, replica.children, scope);
  const { said, ...end } = planTermination(set, index, replica, options);
  const intents = [...ensureClaims(options.shared, index), ...plan.intents, ...end.intents];
  const { published, hasAll } = plan;
  const isComplete = intents.length === 0 && hasClaims && hasAll;
  return { ...end, intents: [...intents, ...said], published, isComplete };
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
    ...(isEmpty ? removeStaleClaims(shared, index) : []),
  ];
  const published = noneDesired(replicaTable, set, replica.children);
  return { intents, published, isComplete: intents.length === 0 };
}

/** One event for each kind in a whole scale-in. */
function tellSurplus(set: ObservedSet, intents: readonly Intent[]): readonly Intent[] {
  const tell = (kind: Kind, reason: keyof NormalReasons, called: string): readonly Intent[] => {
    const deletions = intents.filter(({ type }) => type === 'deleteObject');
    const many = deletions.filter((one) => 'ref' in one && one.ref.kind === kind).length;
    const note = `Scale-in to ${set.replicas} replicas: deleting ${many} ${called}`;
    return many > 0 ? [normal(set, reason, note)] : [];
  };
  return [
    ...tell('PodClique', 'PodCliqueDeleteSuccessful', 'PodCliques'),
    ...tell('PodCliqueScalingGroup', 'PodCliqueScalingGroupDeleteSuccessful', 'scaling groups'),
  ];
}

export const replicaChart = rowChart<FoundReplica<ObservedChildren>, ObservedSet>(
  {
    children: classified({ complete: ({ isComplete }) => isComplete, pending: otherwise }),
    /** Pending: some PodGang does not show what the template wants, which its actor reads. */
    gangs: classified({ pending: ({ isPublishing }) => isPublishing, shown: otherwise }),
    availability: classified({
      available: ({ replica, isWanted }, set) => isWanted && isReplicaAvailable(set, replica),
      unavailable: otherwise,
    }),
    update: classified({
      updated: ({ replica, isWanted }, set) => isWanted && isReplicaUpdated(set, replica),
      outdated: otherwise,
    }),
    /** Due: an update has to come to it; harmless: and that costs no pod that is scheduled. */
    turn: classified({
      done: ({ replica, isWanted }, set) => isWanted && isReplicaDone(set, replica),
      harmless: ({ replica, isWanted }, set) => isWanted && hasNoneScheduled(set, replica),
      due: otherwise,
    }),
    readiness: classified({
      ready: ({ replica, isWanted }, set) => isWanted && isReplicaReady(set, replica),
      unready: otherwise,
    }),
    termination: terminationRegion,
  },
  {
    'cliques.updated': ({ replica, isWanted }, set) =>
      isWanted ? updatedCliques(set, replica) : 0,
    'groups.updated': ({ replica, isWanted }, set) => (isWanted ? updatedGroups(set, replica) : 0),
  },
);

/** After the plan: PodGangs that do not show yet what the template wants. Their actors read that
 *  and write it. */
export const awaitGangs: Step = (context) =>
  replicasIn(context, 'gangs.pending') === 0
    ? idle
    : { ...idle, waits: [{ say: () => whyGangs(context) }] };

function whyGangs(context: SetContext): readonly string[] {
  const reasons: string[] = [];
  for (const [index, replica] of entries(context.replicas)) {
    if (!isIn(replica, 'gangs.pending')) continue;
    reasons.push(`waiting for the PodGangs of replica ${index} to be as the template wants them`);
    if (reasons.length >= maxListed) break;
  }
  return reasons;
}

/** The claims that all replicas share. */
export const ensureCommonClaims: Step = (context, set) => ({
  intents: ensureClaims(sharedIn(context, set), undefined),
  changes: {},
});
