// The status of a PodClique: counters, hashes and conditions exactly as spec controllers 2.1 has
// them. Pure; written by the runtime where it differs from what is there.
import type { WriteStatus } from '../../contract/intents.ts';
import type { Kind, Operation } from '../../contract/kind.ts';
import { readyType, withConditions } from '../../contract/supervision.ts';
import type { Condition } from '../../kubernetes/conditions.ts';
import { isEqual, list } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import { allErrors } from '../last-errors.ts';
import { sinceBirth } from '../objects/breach.ts';
import { baseLabels, label, selector } from '../objects/labels.ts';
import { isBreachEnding, isBreachStarting } from '../objects/podclique.ts';
import {
  isAdvance,
  isRunning,
  otherFields,
  podProgress,
  podProgressField,
} from '../objects/progress.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import type { Problem } from '../objects/set-problem.ts';
import { isLeaving, ownPods, type CliqueContext } from './context.ts';
import { oldPods, progressOf } from './rollout.ts';
import { problemOf, problemsOfSharing } from './sharing.ts';
import { statusOf } from '../../contract/object-intents.ts';
import { remembered } from '../../statechart/remembered.ts';

export interface Counts {
  /** Pods that are not terminating. */
  readonly replicas: number;
  readonly ready: number;
  readonly scheduled: number;
  readonly gated: number;
  readonly updated: number;
  /** Scheduled pods less those that crashed or started without being ready. */
  readonly good: number;
  /** Pods that stay, are ready and are of the template that is wanted. */
  readonly done: number;
}

export const countPods = remembered((context: CliqueContext, clique: ObservedClique): Counts => {
  const own = ownPods(context, clique);
  const { stuck } = context;
  const pods = stuck.size === 0 ? own : own.filter(({ uid }) => !stuck.has(uid));
  const target = targetHash(clique);
  const wanted = clique.templateHash ?? target;
  const many = (test: (pod: (typeof pods)[number]) => boolean): number => pods.filter(test).length;
  const scheduled = many((pod) => pod.isScheduled);
  return {
    replicas: many((pod) => !isLeaving(context, pod)),
    ready: many((pod) => pod.isReady),
    scheduled,
    gated: many((pod) => pod.isGated),
    updated:
      target === undefined
        ? clique.observed.updatedReplicas
        : many((pod) => pod.templateHash === target),
    good: scheduled - many((pod) => pod.hasErrored) - many((pod) => pod.isStartedNotReady),
    done: many((pod) => pod.isReady && !isLeaving(context, pod) && pod.templateHash === wanted),
  };
});

const targetHash = (clique: ObservedClique): string | undefined =>
  clique.templateHash ?? clique.observed.templateHash;

/** Said at every reconcile; sent where it differs from what is there. */
export function writeStatus(
  context: CliqueContext,
  clique: ObservedClique,
  conditions: readonly Condition[],
  now: EpochMs,
): WriteStatus {
  const status = wholeStatus(context, clique, conditions, now);
  const reason = `${String(status['readyReplicas'])} of ${clique.replicas} pods ready`;
  return statusOf(clique, reason, status, urgencyOf(clique, status));
}

/** The whole status. Unknown fields and foreign conditions of the observed one are kept. */
function wholeStatus(
  context: CliqueContext,
  clique: ObservedClique,
  fromStates: readonly Condition[],
  now: EpochMs,
): JsonObject {
  const counts = countPods(context, clique);
  const { lastErrors: _, conditions: __, updateProgress: ___, ...known } = clique.status;
  const { currentPodTemplateHash: _t, currentPodCliqueSetGenerationHash: _g, ...kept } = known;
  const errors = allErrors(clique, problemsOf(context, clique), context.errors, groveCode, now);
  const observedGeneration = observedGenerationOf(context, clique);
  // None of Grove's before a generation was observed.
  const said = fromStates.filter(
    ({ type }) => type === readyType || observedGeneration !== undefined,
  );
  const { generation } = clique;
  const since = sinceBirth(clique, now);
  const conditions = withConditions(clique.status, said, now, { generation, since });
  return {
    ...kept,
    replicas: counts.replicas,
    readyReplicas: counts.ready,
    scheduledReplicas: counts.scheduled,
    scheduleGatedReplicas: counts.gated,
    updatedReplicas: counts.updated,
    ...currentHashes(context, clique, counts),
    ...progressField(context, clique),
    ...scaleSelector(clique),
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    conditions: [...conditions],
    ...(errors.length > 0 ? { lastErrors: errors } : {}),
  };
}

/** What keeps the spec from being acted upon, besides refused writes. */
export function problemsOf(context: CliqueContext, clique: ObservedClique): readonly Problem[] {
  const problem = problemOf(context, clique);
  return [...(problem === undefined ? [] : [problem]), ...problemsOfSharing(context, clique)];
}

/**
 * A generation is observed once it was planned and nothing that it asks for is refused. Unlike in
 * Grove it does not wait for pods to be created or listed: pods that are missing for reasons that
 * lie elsewhere must not make the spec look unread (spec controllers 10.2 gap 27).
 */
function observedGenerationOf(context: CliqueContext, clique: ObservedClique): number | undefined {
  const isClean = context.errors.length === 0 && problemOf(context, clique) === undefined;
  return isClean ? clique.generation : clique.observed.observedGeneration;
}

/** Counters first: the hashes move only when all pods are on the target (rule 39). Pods that are
 *  going may count as updated too, and hold nothing up. Where a template was changed back, those
 *  that were reached before are reached no more. */
function currentHashes(context: CliqueContext, clique: ObservedClique, counts: Counts): JsonObject {
  const { templateHash, generationHash, observed } = clique;
  const isLeft = oldPods(context, clique).length > 0;
  const areAll =
    counts.updated === counts.replicas || (!isLeft && counts.updated > counts.replicas);
  const isMoving = !isRunning(progressOf(context, clique)) && areAll;
  if (isMoving && templateHash !== undefined && generationHash !== undefined) {
    return hashes(templateHash, generationHash);
  }
  return isLeft && observed.templateHash === templateHash
    ? {}
    : hashes(observed.templateHash, observed.generationHash);
}

const hashes = (template: string | undefined, generation: string | undefined): JsonObject => ({
  ...(template === undefined ? {} : { currentPodTemplateHash: template }),
  ...(generation === undefined ? {} : { currentPodCliqueSetGenerationHash: generation }),
});

function progressField(context: CliqueContext, clique: ObservedClique): JsonObject {
  const progress = progressOf(context, clique);
  if (progress === undefined) return {};
  return { updateProgress: { ...otherFields(clique.status), ...podProgressField(progress) } };
}

/** Standalone cliques only: members are scaled by their group (rule 46). */
const scaleSelector = (clique: ObservedClique): JsonObject =>
  clique.labels[label.scalingGroup] === undefined
    ? {
        hpaPodSelector: selector({ ...baseLabels(clique.set), [label.podClique]: clique.name }),
      }
    : {};

/** Grove's code for a failed write of a PodClique's actor (spec api 2.4). */
export function groveCode(op: Operation, kind: Kind): string {
  if (kind === 'ResourceClaim') {
    return op === 'delete' ? 'ERR_DELETE_PCLQ_RESOURCE_CLAIM' : 'ERR_SYNC_PCLQ_RESOURCE_CLAIM';
  }
  if (kind !== 'Pod') return 'ERR_SYNC_PODCLIQUE';
  if (op === 'create') return 'ERR_CREATE_POD';
  return op === 'delete' ? 'ERR_DELETE_POD' : 'ERR_REMOVE_POD_SCHEDULING_GATE';
}

/**
 * `first` where an update goes on by it. `now` where others act on the difference: availability and
 * being up to date (the set's status), a breach that begins or ends (gang termination), an error.
 * The rest is progress.
 */
export function urgencyOf(clique: ObservedClique, status: JsonObject): WriteStatus['urgency'] {
  if (isAdvance(clique.observed.progress, podProgress(status))) return 'first';
  const before = actedOn(clique, clique.status);
  const after = actedOn(clique, status);
  const isSame = before.every((value, index) => value === after[index]);
  const isBreachNews = isBreachStarting(clique.status, status) || isBreachEnding(clique, status);
  const isOnCourse = isEqual(clique.status['updateProgress'], status['updateProgress']);
  return isSame && isOnCourse && !isBreachNews ? 'lazy' : 'now';
}

function actedOn(clique: ObservedClique, status: JsonObject): readonly unknown[] {
  const least = clique.minAvailable - beingReplaced(status);
  const reaches = (field: string): boolean => Number(status[field] ?? 0) >= least;
  const isReady = reaches('readyReplicas');
  const isUpdated =
    isReady &&
    reaches('updatedReplicas') &&
    status['currentPodTemplateHash'] === clique.templateHash &&
    status['currentPodCliqueSetGenerationHash'] === clique.generationHash;
  return [isReady, isUpdated, list(status['lastErrors']).length];
}

/** A pod that an update has chosen is missed by nobody: the status that names the next one follows
 *  soon, with the counters. */
function beingReplaced(status: JsonObject): number {
  const progress = podProgress(status);
  return isRunning(progress) && progress?.current !== undefined ? 1 : 0;
}
