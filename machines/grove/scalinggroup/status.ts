// The status of a PodCliqueScalingGroup: counters, hash and condition exactly as spec controllers
// 2.2 has them. Pure; written by the runtime where it differs from what is there.
import type { WarningReason } from '../../contract/event-reasons.ts';
import type { WriteStatus } from '../../contract/intents.ts';
import type { Kind, Operation } from '../../contract/kind.ts';
import { withConditions } from '../../contract/supervision.ts';
import { withoutCondition, type Condition } from '../../kubernetes/conditions.ts';
import { isTerminated, sinceBirthOfGroup, terminatedType } from '../objects/breach.ts';
import { isEqual, list } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import type { ConditionRows } from '../../statechart/define.ts';
import { hasRow } from '../children/reduce.ts';
import type { ErrorEntry } from '../../contract/failure-log.ts';
import { readinessBy } from '../children/readiness.ts';
import { allErrors, sayFirst } from '../last-errors.ts';
import { baseLabels, label, selector } from '../objects/labels.ts';
import { isBreachEnding, isBreachStarting } from '../objects/podclique.ts';
import {
  isAdvance,
  isRunning,
  otherFields,
  replicaProgress,
  replicaProgressField,
} from '../objects/progress.ts';
import { areReached, oldReplicas, progressOf } from './rollout.ts';
import type { ObservedGroup } from '../objects/scalinggroup.ts';
import type { Problem } from '../objects/set-problem.ts';
import { memberTable } from './children/member.ts';
import { problemOf, problemsOfSharing, replicasIn, sourceOf } from './context.ts';
import type { GroupContext, Query } from './context.ts';
import { statusOf } from '../../contract/object-intents.ts';

/** Undefined while nothing is known of its members. */
export function writeStatus(
  context: GroupContext,
  group: ObservedGroup,
  conditions: readonly Condition[],
  now: EpochMs,
): WriteStatus | undefined {
  if (sourceOf(context, group) === undefined) return undefined;
  const available = replicasIn(context, 'availability.available');
  const reason = `${available} of ${group.replicas} replicas available`;
  const status = wholeStatus(context, group, conditions, now);
  return statusOf(group, reason, status, urgencyOf(group, status));
}

/** The whole status. Unknown fields and foreign conditions of the observed one are kept. */
function wholeStatus(
  context: GroupContext,
  group: ObservedGroup,
  fromStates: readonly Condition[],
  now: EpochMs,
): JsonObject {
  const { lastErrors: _, conditions: __, updateProgress: ___, ...known } = group.status;
  const { currentPodCliqueSetGenerationHash: ____, ...kept } = known;
  const errors = allErrors(group, problemsOf(context, group), context.errors, groveCode, now);
  const source = sourceOf(context, group);
  const isClean =
    errors.length === 0 && source !== undefined && replicasIn(context, 'members.pending') === 0;
  // A generation whose members are still to be made is not judged, whatever else is known of it.
  const generation = isClean || errors.length > 0 ? group.generation : undefined;
  const since = sinceBirthOfGroup(group, now);
  const all = withConditions(group.status, fromStates, now, { generation, since });
  const isRecovering = fromStates.some(({ type }) => type === terminatedType);
  const conditions = isRecovering ? all : withoutCondition(all, terminatedType);
  return {
    ...kept,
    replicas: group.replicas,
    scheduledReplicas: replicasIn(context, 'scheduling.scheduled'),
    availableReplicas: replicasIn(context, 'availability.available'),
    updatedReplicas: replicasIn(context, 'update.updated'),
    ...(source === undefined ? {} : { selector: scaleSelector(group) }),
    ...currentHash(context, group),
    ...progressField(context, group),
    // As for a PodCliqueSet: members that are there are enough, pods are not waited for.
    ...(isClean ? { observedGeneration: group.generation } : {}),
    conditions: [...conditions],
    ...(errors.length > 0 ? { lastErrors: errors } : {}),
  };
}

/** What keeps the spec from being acted upon, besides refused writes. */
const problemsOf: Query<readonly Problem[]> = (context, group) => {
  const problem = problemOf(group);
  return [...(problem === undefined ? [] : [problem]), ...problemsOfSharing(context, group)];
};

/** As condition `Ready` says it. */
export const readiness = readinessBy<GroupContext, ObservedGroup>({
  isUpdating: (context, group) => isRunning(progressOf(context, group)),
  failureOf: (context, group) => sayFirst(problemsOf(context, group), context.errors),
  minAvailable: ({ minAvailable }) => minAvailable,
});

/** Published whether autoscaled or not, by the label that pods have (10.1 rules 45, 46). */
const scaleSelector = (group: ObservedGroup): string =>
  selector({ ...baseLabels(group.set), [label.scalingGroup]: group.name });

/** Readiness is not asked for, and nothing moves while an update runs. Where a template was changed
 *  back, a hash that was reached before is reached no more. */
function currentHash(context: GroupContext, group: ObservedGroup): JsonObject {
  const source = sourceOf(context, group);
  const { generationHash: before } = group.observed;
  const isOver = source !== undefined && !isRunning(progressOf(context, group));
  if (isOver && areReached(context, group)) {
    return { currentPodCliqueSetGenerationHash: source.set.generationHash };
  }
  const isLeft = before === source?.set.generationHash && oldReplicas(context) > 0;
  return before === undefined || isLeft ? {} : { currentPodCliqueSetGenerationHash: before };
}

function progressField(context: GroupContext, group: ObservedGroup): JsonObject {
  const progress = progressOf(context, group);
  const source = sourceOf(context, group);
  if (progress === undefined || source === undefined) return {};
  return {
    updateProgress: {
      ...otherFields(group.status),
      ...replicaProgressField(progress),
      updatedPodCliquesCount: context.totals.get('members.updated') ?? 0,
      totalPodCliquesCount: group.replicas * source.template.members.length,
    },
  };
}

const found = (context: GroupContext): string =>
  `PCSG replicas not in breach (${replicasIn(context, 'breach.sound')})`;

/** A new group is breached from its first status on, and Unknown while it is updated. */
export const breached: ConditionRows<GroupContext, ObservedGroup> = {
  region: 'breach',
  rows: {
    unknown: undefined,
    updating: {
      status: 'Unknown',
      reason: 'UpdateInProgress',
      message: () => 'Update is in progress',
    },
    breached: {
      status: 'True',
      reason: 'InsufficientAvailablePodCliqueScalingGroupReplicas',
      message: (context, group) => `${found(context)} below MinAvailable (${group.minAvailable})`,
    },
    met: {
      status: 'False',
      reason: 'SufficientAvailablePodCliqueScalingGroupReplicas',
      message: (context, group) => `${found(context)} meets MinAvailable (${group.minAvailable})`,
    },
  },
};

/** Removed as soon as it has its minimum (spec controllers 2.2). */
export const terminated: ConditionRows<GroupContext, ObservedGroup> = {
  region: 'termination',
  rows: {
    recovering: {
      status: 'True',
      reason: 'GangTerminationActive',
      message: () => 'The PodCliqueSet replica was terminated, and minAvailable was not met since',
    },
    met: undefined,
  },
};

/** Grove's code for a failed write of a PodCliqueScalingGroup's actor (spec api 2.4). */
export function groveCode(op: Operation, kind: Kind): string {
  if (kind === 'ResourceClaim') return 'ERR_SYNC_PCSG_RESOURCE_CLAIM';
  const isOfMember = op !== 'status' && hasRow(memberTable, kind);
  return isOfMember ? memberTable[kind].errorCode[op] : 'ERR_UPDATE_STATUS';
}

/** Reason of the Warning that goes with a failed write (spec controllers 9.3). */
export const eventReason = ({ op }: ErrorEntry): WarningReason =>
  memberTable.PodClique.eventReason[op === 'status' ? 'patch' : op];

/**
 * `now` where others act on the difference: availability and being up to date (the set's status), a
 * breach that begins or ends and the termination of its replica (gang termination), an error. The
 * rest is progress.
 */
export function urgencyOf(group: ObservedGroup, status: JsonObject): WriteStatus['urgency'] {
  const [progress, next] = [group.observed.progress, replicaProgress(status)];
  if (isAdvance(progress, next)) return 'first';
  const before = actedOn(group, group.status);
  const after = actedOn(group, status);
  const isOnCourse = isEqual(progress, next);
  const isSame =
    isOnCourse &&
    before.isAvailable === after.isAvailable &&
    before.errors === after.errors &&
    before.isTerminated === after.isTerminated;
  // Members that are up to date count for the set when all are there: before, it is progress.
  const isReached = after.isWhole && before.hash !== after.hash;
  const isBreachNews = isBreachStarting(group.status, status) || isBreachEnding(group, status);
  return isSame && !isReached && !isBreachNews ? 'lazy' : 'now';
}

function actedOn({ minAvailable, replicas }: ObservedGroup, status: JsonObject) {
  const available = Number(status['availableReplicas'] ?? 0);
  return {
    isAvailable: available >= minAvailable,
    isWhole: available >= replicas,
    hash: status['currentPodCliqueSetGenerationHash'],
    isTerminated: isTerminated(status),
    errors: list(status['lastErrors']).length,
  };
}
