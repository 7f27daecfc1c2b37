// The status of a PodCliqueSet (spec controllers 2.3): sums over replicas that the plan keeps, so
// that it costs nothing however many there are.
import { conditionStatus, conditionsOf, withCondition, withoutCondition } from '../conditions.ts';
import type { Condition } from '../conditions.ts';
import { lastErrors, problemEntry } from '../errorbook.ts';
import type { ErrorEntry, Problem } from '../errorbook.ts';
import { baseLabels, selector } from '../grove/labels.ts';
import { count, isObject, list } from '../json.ts';
import type { JsonObject, ObjectRef } from '../objects.ts';
import { unparkedConditions } from '../supervision.ts';
import type { EpochMs, Operation, WriteStatus } from '../vocabulary.ts';
import { living, refOf, replicasIn } from './context.ts';
import type { Replica, SetContext } from './context.ts';
import type { SetFact } from './facts.ts';
import { secretName } from './names.ts';
import { isAccessDone } from './steps/access.ts';
import { areCommonClaimsThere, problemsOfClaims } from './steps/claims.ts';
import type { CliqueTemplate } from './template.ts';
import { conflictCode, hasSecretConflict, isTokenDone } from './token.ts';
import { levelsType } from './topology.ts';

/**
 * Every standalone PodClique is there, stays, and has enough ready pods; every scaling group is
 * there, stays, and has enough available replicas (spec controllers 2.3).
 */
export const isReplicaAvailable = (set: SetFact, replica: Replica): boolean =>
  set.cliques.every(({ name, minAvailable }) => {
    const clique = living(replica.cliques.get(name), set);
    return clique !== undefined && clique.observed.readyReplicas >= minAvailable;
  }) &&
  set.groups.every(({ name, minAvailable }) => {
    const group = living(replica.groups.get(name), set);
    return group !== undefined && group.observed.availableReplicas >= minAvailable;
  });

/** Available, and every PodClique and every scaling group has reached the current template. */
export const isReplicaUpdated = (set: SetFact, replica: Replica): boolean =>
  isReplicaAvailable(set, replica) &&
  set.cliques.every((template) => isCliqueUpdated(set, template, replica)) &&
  set.groups.every(
    ({ name }) =>
      living(replica.groups.get(name), set)?.observed.generationHash === set.generationHash,
  );

function isCliqueUpdated(set: SetFact, template: CliqueTemplate, replica: Replica): boolean {
  const clique = living(replica.cliques.get(template.name), set);
  return (
    clique?.templateHash === template.hash &&
    clique.observed.templateHash === template.hash &&
    clique.observed.generationHash === set.generationHash &&
    clique.observed.updatedReplicas >= template.minAvailable
  );
}

/** Said at every reconcile; sent where it differs from what is there. */
export function writeStatus(
  context: SetContext,
  set: SetFact,
  conditions: readonly Condition[],
  now: EpochMs,
): WriteStatus {
  const status = statusOf(context, set, conditions, now);
  return {
    type: 'writeStatus',
    ref: refOf(set),
    reason: `${replicasIn(context, 'availability.available')} of ${set.replicas} replicas available`,
    uid: set.uid,
    status,
    urgency: urgencyOf(set, status),
  };
}

/** What is not made replica by replica is there. */
const isShellDone = (context: SetContext, set: SetFact): boolean =>
  isAccessDone(context, set) && isTokenDone(context, set) && areCommonClaimsThere(context, set);

/** The whole status. Unknown fields and foreign conditions of the observed one are kept. */
function statusOf(
  context: SetContext,
  set: SetFact,
  said: readonly Condition[],
  now: EpochMs,
): JsonObject {
  const { lastErrors: before, conditions: _, ...kept } = set.status;
  const problems = problemsOf(context, set);
  const errors = [
    ...problems.map((problem) => problemEntry(problem, list(before).filter(isObject), now)),
    ...lastErrors(context.errors, groveCode),
  ];
  const unparked = unparkedConditions(set.status);
  const [levels] = said;
  const conditions =
    levels === undefined
      ? withoutCondition(unparked, levelsType)
      : withCondition(unparked, { ...levels, observedGeneration: set.generation }, now);
  const isClean =
    errors.length === 0 &&
    replicasIn(context, 'children.pending') === 0 &&
    isShellDone(context, set);
  return {
    ...kept,
    replicas: set.replicas,
    availableReplicas: replicasIn(context, 'availability.available'),
    updatedReplicas: replicasIn(context, 'update.updated'),
    hpaPodSelector: selector(baseLabels(set.name)),
    currentGenerationHash: set.generationHash,
    ...observedGeneration(set, isClean),
    ...(conditions.length > 0 ? { conditions: [...conditions] } : {}),
    ...(errors.length > 0 ? { lastErrors: errors } : {}),
  };
}

/**
 * A generation is observed when every child that it asks for is there as it asks and every surplus
 * one is going. Pods are not waited for: in Grove the field lags as long as any gang is incomplete,
 * for reasons that have nothing to do with the spec (spec controllers 10.2 gap 27).
 */
const observedGeneration = (set: SetFact, isClean: boolean): JsonObject =>
  isClean && set.problem === undefined ? { observedGeneration: set.generation } : {};

/** What keeps the spec from being acted upon, besides refused writes. */
export function problemsOf(context: SetContext, set: SetFact): readonly Problem[] {
  const secret = secretName(set.name);
  const message = `Secret ${set.namespace}/${secret} exists and is not controlled by this PodCliqueSet; remove or rename it`;
  return [
    ...(set.problem === undefined ? [] : [set.problem]),
    ...(hasSecretConflict(context, set) ? [{ code: conflictCode, message }] : []),
    ...(set.problem === undefined ? problemsOfClaims(context, set) : []),
  ];
}

/** Grove's code for a failed write of a PodCliqueSet's actor (spec api 2.4). */
export function groveCode(op: Operation, kind: ObjectRef['kind']): string {
  const row = codes[kind];
  if (row === undefined) return 'ERR_UPDATE_PCS_STATUS';
  if (op === 'delete') return row.remove;
  return op === 'create' ? row.create : row.sync;
}

interface CodeRow {
  readonly create: string;
  readonly sync: string;
  readonly remove: string;
}

const codesNamed = (name: string, create = `ERR_SYNC_${name}`): CodeRow => ({
  create,
  sync: `ERR_SYNC_${name}`,
  remove: `ERR_DELETE_${name}`,
});

const codes: Partial<Record<ObjectRef['kind'], CodeRow>> = {
  ServiceAccount: codesNamed('SERVICEACCOUNT'),
  Role: codesNamed('ROLE'),
  RoleBinding: codesNamed('ROLEBINDING'),
  Secret: {
    create: 'ERR_CREATE_SECRET',
    sync: 'ERR_GET_SECRET',
    remove: 'ERR_DELETE_SECRET',
  },
  Service: codesNamed('PODCLIQUESET_SERVICE'),
  PodClique: codesNamed('PODCLIQUE', 'ERR_CREATE_OR_UPDATE_PODCLIQUE'),
  PodCliqueScalingGroup: codesNamed('PODCLIQUESCALINGGROUP', 'ERR_CREATE_PODCLIQUESCALINGGROUP'),
  HorizontalPodAutoscaler: codesNamed('HPA'),
  // The only patch of one is a step of its deletion.
  ComputeDomain: { ...codesNamed('COMPUTEDOMAIN'), sync: 'ERR_DELETE_COMPUTEDOMAIN' },
  ResourceClaim: codesNamed('PCS_RESOURCE_CLAIM'),
  PodGang: {
    create: 'ERR_CREATE_OR_PATCH_PODGANG',
    sync: 'ERR_CREATE_OR_PATCH_PODGANG',
    remove: 'ERR_DELETE_EXCESS_PODGANG',
  },
};

const isOnGang = ({ ref }: ErrorEntry): boolean => ref.kind === 'PodGang';
const isOnDomain = ({ ref }: ErrorEntry): boolean => ref.kind === 'ComputeDomain';
const isOnGroup = ({ ref }: ErrorEntry): boolean => ref.kind === 'PodCliqueScalingGroup';

/** Reason of the Warning that goes with a failed write (spec controllers 9.3). */
export function eventReason(entry: ErrorEntry): string {
  const isDelete = entry.op === 'delete';
  if (isOnGang(entry)) return isDelete ? 'PodGangDeleteFailed' : 'PodGangCreateOrUpdateFailed';
  if (isOnGroup(entry)) {
    return isDelete
      ? 'PodCliqueScalingGroupDeleteFailed'
      : 'PodCliqueScalingGroupCreateOrUpdateFailed';
  }
  if (isOnDomain(entry)) {
    return entry.op === 'create' ? 'ComputeDomainCreateFailed' : 'ComputeDomainDeleteFailed';
  }
  // Grove has no reasons for the other kinds.
  return isDelete ? 'PodCliqueDeleteFailed' : 'PodCliqueCreateOrUpdateFailed';
}

/** `now` when availability reaches or leaves what is wanted, a spec is done, or something goes
 *  wrong or right again. */
function urgencyOf(set: SetFact, status: JsonObject): 'now' | 'lazy' {
  const before = acted(set, set.status);
  const after = acted(set, status);
  return before.every((value, index) => value === after[index]) ? 'lazy' : 'now';
}

const acted = (set: SetFact, status: JsonObject): readonly unknown[] => [
  (count(status['availableReplicas']) ?? -1) === set.replicas,
  (count(status['updatedReplicas']) ?? -1) === set.replicas,
  status['observedGeneration'],
  list(status['lastErrors']).length,
  // That all is well is no haste the first time.
  conditionStatus(conditionsOf(status), levelsType) ?? 'False',
];
