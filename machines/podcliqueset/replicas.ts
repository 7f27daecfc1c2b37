// The step of a PodCliqueSet that plans its replicas. Work flows replica by replica: the first gang
// is complete before the last PodClique exists. All replicas are planned for a new spec or at a
// start; later only those that were touched, and the totals are kept by difference.
import type { Level } from '../claims/level.ts';
import { claimsAwaited } from '../claims/level.ts';
import type { Kind } from '../kinds.ts';
import { entries } from '../radix.ts';
import { idle } from '../statechart/step.ts';
import type { Intent } from '../vocabulary.ts';
import { refOf, replicaAt, touchedIndices } from './context.ts';
import type { Replica, SetContext, Step } from './context.ts';
import type { SetFact } from './facts.ts';
import { planAutoscalers } from './steps/autoscalers.ts';
import {
  areCommonClaimsThere,
  claimsKey,
  levelOf,
  planReplicaClaims,
  removeReplicaClaims,
} from './steps/claims.ts';
import { planCliques } from './steps/cliques.ts';
import { hasDomains, planDomains } from './steps/domains.ts';
import type { DomainOptions } from './steps/domains.ts';
import { planGangs } from './steps/gang.ts';
import { planGroups } from './steps/groups.ts';
import { planService } from './steps/service.ts';
import { removeReplica } from './steps/surplus.ts';
import { keep, keepUntilGone, startTally } from './steps/tally.ts';
import type { Tally } from './steps/tally.ts';
import { isTokenAwaited } from './token.ts';
import { topologyKey, topologyOf } from './topology.ts';
import type { Topology } from './topology.ts';

/** Only those that were touched, where nothing concerns all. */
export const planReplicas: Step = (context, set, now) => {
  const isFull = isFullPlanDue(context, set);
  if (!isFull && context.touched === undefined) return idle;
  const tally = startTally(context, set, now, isFull);
  const indices = isFull ? allIndices(context, set) : touchedIndices(context);
  const wanted = indices.filter((index) => index < set.replicas);
  // The highest surplus index goes first.
  const surplus = indices.filter((index) => index >= set.replicas).toReversed();
  const options = optionsOf(context, set);
  for (const index of wanted) planOne(tally, context, set, index, options);
  for (const index of surplus) dropOne(tally, context, set, index, options);
  if (isFull) tally.intents.push(...tellSurplus(set, tally.intents));
  return {
    intents: tally.intents,
    changes: {
      replicas: tally.replicas,
      totals: tally.totals,
      touched: undefined,
      plannedFor: planKey(context, set),
    },
  };
};

/**
 * Whether PodCliques may be created, which claims can be made and how topology constraints
 * translate is part of the key: all replicas are looked at when it changes.
 */
const planKey = (context: SetContext, set: SetFact): string =>
  [
    set.planKey,
    String(isTokenAwaited(context, set)),
    topologyKey(context, set),
    claimsKey(context, set),
  ].join(' ');

const isFullPlanDue = (context: SetContext, set: SetFact): boolean =>
  context.plannedFor !== planKey(context, set);

function allIndices(context: SetContext, set: SetFact): readonly number[] {
  const indices = Array.from({ length: set.replicas }, (_, index) => index);
  for (const [index] of entries(context.replicas)) if (index >= set.replicas) indices.push(index);
  return indices;
}

interface ReplicaOptions extends DomainOptions {
  readonly mayCreate: boolean;
  readonly schedulerName: string;
  readonly topology: Topology | undefined;
  readonly sharing: Level;
}

const optionsOf = (context: SetContext, set: SetFact): ReplicaOptions => ({
  mayCreate: !isTokenAwaited(context, set) && areCommonClaimsThere(context, set),
  schedulerName: backendOf(context, set),
  topology: topologyOf(context, set),
  makesDomains: context.settings.makesComputeDomains,
  sharing: levelOf(context, set),
});

/** An unknown one falls back to the default one (spec api 5.1); its pods say that it is unknown. */
function backendOf({ settings }: SetContext, { schedulerName }: SetFact): string {
  const isKnown = schedulerName !== undefined && settings.schedulerNames.includes(schedulerName);
  return isKnown ? schedulerName : settings.defaultSchedulerName;
}

function planOne(
  tally: Tally,
  context: SetContext,
  set: SetFact,
  index: number,
  options: ReplicaOptions,
): void {
  const before = replicaAt(context, index);
  const { intents, hasAll } = planReplica(set, index, before, options);
  tally.intents.push(...intents);
  keep(tally, index, before, intents.length === 0 && hasAll);
}

interface ReplicaPlan {
  readonly intents: readonly Intent[];
  /** Nothing that is wanted is missing. */
  readonly hasAll: boolean;
}

/** What one replica wants, in the order in which it comes up. */
function planReplica(
  set: SetFact,
  index: number,
  replica: Replica,
  options: ReplicaOptions,
): ReplicaPlan {
  const gangs = planGangs(set, index, replica, options);
  const areClaimsThere = claimsAwaited(options.sharing, replica.claims, index).length === 0;
  const children = { mayCreate: options.mayCreate && areClaimsThere };
  return {
    intents: [
      ...planService(set, index, replica),
      ...planDomains(set, index, replica, options),
      ...planReplicaClaims(options.sharing, index, replica),
      ...planCliques(set, index, replica, children),
      ...planGroups(set, index, replica, children),
      ...gangs.intents,
      ...planAutoscalers(set, index, replica),
    ],
    hasAll:
      areClaimsThere &&
      gangs.areThere &&
      hasDomains(set, replica, options) &&
      set.cliques.every(({ name }) => replica.cliques.has(name)) &&
      set.groups.every(({ name }) => replica.groups.has(name)),
  };
}

function dropOne(
  tally: Tally,
  context: SetContext,
  set: SetFact,
  index: number,
  { sharing }: ReplicaOptions,
): void {
  const before = replicaAt(context, index);
  const intents = [...removeReplica(set, index, before), ...removeReplicaClaims(sharing, before)];
  tally.intents.push(...intents);
  keepUntilGone(tally, index, before, intents.length === 0);
}

/** One event for each kind in a whole scale-in. */
function tellSurplus(set: SetFact, intents: readonly Intent[]): readonly Intent[] {
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
