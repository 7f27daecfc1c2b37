// The status of a PodCliqueSet (spec controllers 2.3): sums over replicas that the plan keeps, so
// that it costs nothing however many there are.
import type { WarningReason } from '../../contract/event-reasons.ts';
import type { WriteStatus } from '../../contract/intents.ts';
import type { Kind, Operation } from '../../contract/kind.ts';
import { readyType, withConditions } from '../../contract/supervision.ts';
import {
  conditionsOf,
  conditionStatus,
  withoutCondition,
  type Condition,
} from '../../kubernetes/conditions.ts';
import { count, isEqual, list } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import { living } from '../children/reconcile.ts';
import { hasRow } from '../children/reduce.ts';
import { sameForAll, type ChildType, type ObservedChild } from '../children/type.ts';
import type { ErrorEntry } from '../../contract/failure-log.ts';
import { readinessBy, terminationDue } from '../children/readiness.ts';
import { allErrors, sayFirst } from '../last-errors.ts';
import { baseLabels, selector } from '../objects/labels.ts';
import { secretName } from '../objects/names.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';
import type { ObservedGroup } from '../objects/scalinggroup.ts';
import { isAdvance, isRunning, setProgress, updatingTo } from '../objects/progress.ts';
import { rolloutFields, rolloutOf } from './rollout.ts';
import type { Problem } from '../objects/set-problem.ts';
import type { CliqueTemplate } from '../objects/template.ts';
import { accessTable, isAccessDone } from './children/access.ts';
import { replicasIn, sharedIn, usualReason } from './context.ts';
import type { Query, Replica, SetContext } from './context.ts';
import { replicaTable } from './children/table.ts';
import { firstTermination, isOfTermination } from './termination.ts';
import { conflictCode, hasSecretConflict, isTokenDone } from './token.ts';
import { levelsType } from './topology.ts';
import { areClaimsThere, problemsOfClaims } from '../claims/scope.ts';
import { statusOf } from '../../contract/object-intents.ts';

/**
 * Every standalone PodClique is there, stays, and has enough ready pods; every scaling group is
 * there, stays, and has enough available replicas (spec controllers 2.3).
 */
export const isReplicaAvailable = (set: ObservedSet, replica: Replica): boolean =>
  set.cliques.every(({ name, minAvailable }) => {
    const clique = living(replica.children.PodClique.get(name), set);
    return clique !== undefined && clique.observed.readyReplicas >= minAvailable;
  }) &&
  set.groups.every(({ name, minAvailable }) => {
    const group = living(replica.children.PodCliqueScalingGroup.get(name), set);
    return group !== undefined && group.observed.availableReplicas >= minAvailable;
  });

/** Available, and every PodClique and every scaling group has reached the current template. */
export const isReplicaUpdated = (set: ObservedSet, replica: Replica): boolean =>
  isReplicaAvailable(set, replica) &&
  updatedCliques(set, replica) === set.cliques.length &&
  updatedGroups(set, replica) === set.groups.length;

/** Updated, and that without pods that are going. */
export const isReplicaReady = (set: ObservedSet, replica: Replica): boolean =>
  isReplicaUpdated(set, replica) &&
  [
    ...set.cliques.map(({ name }) => replica.children.PodClique.get(name)),
    ...set.groups.map(({ name }) => replica.children.PodCliqueScalingGroup.get(name)),
  ].every((child) => child?.observed.isSufficient === true);

export const updatedCliques = (set: ObservedSet, replica: Replica): number =>
  set.cliques.filter((template) => isCliqueUpdated(set, template, replica, template.minAvailable))
    .length;

export const updatedGroups = (set: ObservedSet, { children }: Replica): number =>
  set.groups.filter(({ name }) => {
    const group = living(children.PodCliqueScalingGroup.get(name), set);
    return group?.observed.generationHash === set.generationHash;
  }).length;

/** An update may leave it for the next one. What was scaled below its minimum cannot be waited for:
 *  it has what it can have. Where a template was changed back, a status may still be of the one
 *  between: it tells nothing. */
export const isReplicaDone = (set: ObservedSet, replica: Replica): boolean =>
  updatedGroups(set, replica) === set.groups.length &&
  set.cliques.every((template) => {
    const clique = replica.children.PodClique.get(template.name);
    const least = Math.min(template.minAvailable, clique?.replicas ?? 0);
    return isUpToDate(set, clique) && isCliqueUpdated(set, template, replica, least);
  }) &&
  set.groups.every(({ name, minAvailable }) => {
    const group = living(replica.children.PodCliqueScalingGroup.get(name), set);
    const least = Math.min(minAvailable, group?.replicas ?? 0);
    return !isAstray(set, group) && (group?.observed.availableReplicas ?? 0) >= least;
  });

/** Of none of its parts is a pod scheduled. */
export const hasNoneScheduled = (set: ObservedSet, { children }: Replica): boolean =>
  [
    ...set.cliques.map(({ name }) => living(children.PodClique.get(name), set)),
    ...set.groups.map(({ name }) => living(children.PodCliqueScalingGroup.get(name), set)),
  ].every((part) => (part?.observed.scheduledReplicas ?? 0) === 0);

const isUpToDate = (set: ObservedSet, clique: ObservedClique | undefined): boolean =>
  clique?.observed.observedGeneration === clique?.generation && !isAstray(set, clique);

/** It is being updated to another generation. */
const isAstray = (
  { generationHash }: ObservedSet,
  child: Pick<ObservedClique | ObservedGroup, 'observed'> | undefined,
): boolean => (updatingTo(child?.observed.progress) ?? generationHash) !== generationHash;

function isCliqueUpdated(
  set: ObservedSet,
  template: CliqueTemplate,
  replica: Replica,
  least: number,
): boolean {
  const clique = living(replica.children.PodClique.get(template.name), set);
  return (
    clique?.templateHash === template.hash &&
    clique.observed.templateHash === template.hash &&
    clique.observed.generationHash === set.generationHash &&
    Math.min(clique.observed.updatedReplicas, clique.observed.readyReplicas) >= least
  );
}

/** Said at every reconcile; sent where it differs from what is there. */
export function writeStatus(
  context: SetContext,
  set: ObservedSet,
  conditions: readonly Condition[],
  now: EpochMs,
): WriteStatus {
  const available = replicasIn(context, 'availability.available');
  const reason = `${available} of ${set.replicas} replicas available`;
  const status = withKeptReady(set, wholeStatus(context, set, conditions, now));
  return statusOf(set, reason, status, urgencyOf(set, status));
}

/** That a termination is near, or is not any more, is worth no write: Ready says so when something
 *  else of the status changes, which is the case where a breach begins (decision 0029). */
function withKeptReady(set: ObservedSet, status: JsonObject): JsonObject {
  const [before, after] = [readyIn(set.status), readyIn(status)];
  const isAboutTermination = [before, after].some((row) => row?.['reason'] === terminationDue);
  if (!isAboutTermination || before?.['status'] !== after?.['status']) return status;
  const conditions = conditionsOf(status).map((row) => (row === after && before) || row);
  const kept = { ...status, conditions };
  return isEqual(kept, set.status) ? kept : status;
}

const readyIn = (status: JsonObject): JsonObject | undefined =>
  conditionsOf(status).find(({ type }) => type === readyType);

/** What is not made replica by replica is there. */
const isShellDone: Query<boolean> = (context, set) =>
  isAccessDone(context, set) &&
  isTokenDone(context, set) &&
  areClaimsThere(sharedIn(context, set), undefined);

/** The whole status. Unknown fields and foreign conditions of the observed one are kept. */
function wholeStatus(
  context: SetContext,
  set: ObservedSet,
  fromStates: readonly Condition[],
  now: EpochMs,
): JsonObject {
  const { lastErrors: _, conditions: __, updateProgress: ___, ...kept } = set.status;
  const codeOf = (op: Operation, kind: Kind, entry: ErrorEntry): string =>
    isOfTermination(context, entry) ? 'ERR_DELETE_PCS_REPLICA' : groveCode(op, kind);
  const errors = allErrors(set, problemsOf(context, set), context.errors, codeOf, now);
  const isClean =
    errors.length === 0 &&
    replicasIn(context, 'children.pending') === 0 &&
    isShellDone(context, set);
  // A generation whose children are still to be made is not judged, whatever else is known of it.
  const judged = isClean || errors.length > 0 ? set.generation : undefined;
  const said = withConditions(set.status, fromStates, now, { generation: judged });
  const isOnLevels = fromStates.some(({ type }) => type === levelsType);
  const conditions = isOnLevels ? said : withoutCondition(said, levelsType);
  return {
    ...kept,
    replicas: set.replicas,
    availableReplicas: replicasIn(context, 'availability.available'),
    updatedReplicas: replicasIn(context, 'update.updated'),
    hpaPodSelector: selector(baseLabels(set.name)),
    ...rolloutFields(context, set),
    // Pods are not waited for: in Grove the field lags as long as any gang is incomplete, for
    // reasons that have nothing to do with the spec (spec controllers 10.2 gap 27).
    ...(isClean && set.problem === undefined ? { observedGeneration: set.generation } : {}),
    conditions: [...conditions],
    ...(errors.length > 0 ? { lastErrors: errors } : {}),
  };
}

/** What keeps the spec from being acted upon, besides refused writes. */
export function problemsOf(context: SetContext, set: ObservedSet): readonly Problem[] {
  const secret = secretName(set.name);
  const message = `Secret ${set.namespace}/${secret} exists and is not controlled by this PodCliqueSet; remove or rename it`;
  return [
    ...(set.problem === undefined ? [] : [set.problem]),
    ...(set.forceDelete !== undefined && 'problem' in set.forceDelete
      ? [set.forceDelete.problem]
      : []),
    ...(hasSecretConflict(context, set) ? [{ code: conflictCode, message }] : []),
    ...(set.problem === undefined ? problemsOfClaims(sharedIn(context, set)) : []),
  ];
}

/** As condition `Ready` says it. */
export const readiness = readinessBy<SetContext, ObservedSet>({
  isUpdating: (context, set) => isRunning(rolloutOf(context, set).progress),
  failureOf: (context, set) => sayFirst(problemsOf(context, set), context.errors),
  terminationOf: firstTermination,
});

/** Grove's code for a failed write of a PodCliqueSet's actor (spec api 2.4). */
export function groveCode(op: Operation, kind: Kind): string {
  const { errorCode } = rowOf(kind) ?? {};
  return op === 'status' || errorCode === undefined ? 'ERR_UPDATE_PCS_STATUS' : errorCode[op];
}

/** Reason of the Warning that goes with a failed write (spec controllers 9.3). */
export function eventReason({ op, ref }: ErrorEntry): WarningReason {
  const { eventReason: reasons = usualReason } = rowOf(ref.kind) ?? {};
  return reasons[op === 'status' ? 'patch' : op];
}

type Row = Pick<ChildType<ObservedChild, never>, 'errorCode' | 'eventReason'>;

function rowOf(kind: Kind): Row | undefined {
  if (hasRow(replicaTable, kind)) return replicaTable[kind];
  return hasRow(accessTable, kind) ? accessTable[kind] : others[kind];
}

/** What the set writes besides its tables of children. */
const others: Partial<Record<Kind, Row>> = {
  Secret: {
    errorCode: {
      create: 'ERR_CREATE_SECRET',
      patch: 'ERR_GET_SECRET',
      delete: 'ERR_DELETE_SECRET',
    },
    eventReason: usualReason,
  },
  ResourceClaim: {
    errorCode: sameForAll('ERR_SYNC_PCS_RESOURCE_CLAIM', 'ERR_DELETE_PCS_RESOURCE_CLAIM'),
    eventReason: usualReason,
  },
};

/** `first` when an update goes on; `now` when availability reaches or leaves what is wanted and no
 *  update is the cause, a spec is done, or something goes wrong or right again. */
function urgencyOf(set: ObservedSet, status: JsonObject): WriteStatus['urgency'] {
  if (isAdvance(setProgress(set.status), setProgress(status))) return 'first';
  const before = acted(set, set.status);
  const after = acted(set, status);
  return before.every((value, index) => value === after[index]) ? 'lazy' : 'now';
}

const acted = (set: ObservedSet, status: JsonObject): readonly unknown[] => [
  isRunning(setProgress(status)) || (count(status['availableReplicas']) ?? -1) === set.replicas,
  (count(status['updatedReplicas']) ?? -1) === set.replicas,
  status['observedGeneration'],
  status['currentGenerationHash'],
  JSON.stringify(setProgress(status)),
  list(status['lastErrors']).length,
  // That all is well is no haste the first time.
  conditionStatus(conditionsOf(status), levelsType) ?? 'False',
];
