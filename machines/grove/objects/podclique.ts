// What the actors need to know of a PodClique (spec api 1.3), with Grove's defaults applied. Read
// by the podclique actor (its own) and by the podcliqueset actor (its child).
import { at, count, isObject, object, strings, text, word } from '../../kubernetes/json.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { cliqueNumbers, defaultedPodSpec } from './defaults.ts';
import { annotation, label } from './labels.ts';
import { reading, setOf } from './meta.ts';
import { podProgress, type Progress } from './progress.ts';
import { breachedType, breachOfClique, breachStatus } from './breach.ts';
import { conditionsOf, conditionStatus } from '../../kubernetes/conditions.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import { readyType } from '../../contract/supervision.ts';

export interface ObservedCliqueStatus {
  readonly observedGeneration: number | undefined;
  readonly readyReplicas: number;
  readonly scheduledReplicas: number;
  readonly updatedReplicas: number;
  readonly templateHash: string | undefined;
  readonly generationHash: string | undefined;
  /** How far the update of its pods has come. */
  readonly progress: Progress<string> | undefined;
  /** Status of MinAvailableBreached. */
  readonly breach: string | undefined;
  /** Since when it is below its minimum, where that counts for gang termination. */
  readonly breachedSince: EpochMs | undefined;
  readonly isSufficient: boolean;
}

export interface ObservedClique extends Meta {
  readonly kind: 'PodClique';
  /** Name of the PodCliqueSet of its tree; empty where it is not ours. */
  readonly set: string;
  readonly replicas: number;
  readonly minAvailable: number;
  readonly startsAfter: readonly string[];
  readonly podSpec: JsonObject;
  /** Name of its PodGang, from the label. */
  readonly gang: string | undefined;
  /** Name of the gang that must be scheduled first; only in scaled gangs. */
  readonly baseGang: string | undefined;
  readonly templateHash: string | undefined;
  /** Hash of the whole set, put there by the podcliqueset actor. */
  readonly generationHash: string | undefined;
  /** The spec as read, for comparison. */
  readonly spec: JsonObject;
  readonly status: JsonObject;
  readonly observed: ObservedCliqueStatus;
}

export const readClique = reading((source, meta): ObservedClique | Malformed => {
  const spec = source['spec'];
  if (!isObject(spec)) return { malformed: 'spec is not an object' };
  if (!isObject(spec['podSpec'])) return { malformed: 'spec.podSpec is not an object' };
  const status = object(source['status']);
  return {
    ...meta,
    kind: 'PodClique',
    set: setOf(meta),
    ...numbers(spec),
    startsAfter: strings(spec['startsAfter']),
    podSpec: defaultedPodSpec(spec['podSpec']),
    gang: word(meta.labels[label.podGang]),
    baseGang: word(meta.labels[label.basePodGang]),
    templateHash: word(meta.labels[label.templateHash]),
    generationHash: word(meta.annotations[annotation.generationHash]),
    spec,
    status,
    observed: { ...readStatus(status), breachedSince: breachOfClique(meta, status) },
  };
});

/** A live PodClique may be scaled to 0; the template's default of 1 is for creation only. */
function numbers(spec: JsonObject): { replicas: number; minAvailable: number } {
  const { replicas, minAvailable } = cliqueNumbers(spec);
  return { replicas: count(spec['replicas']) ?? replicas, minAvailable };
}

const readStatus = (status: JsonObject): Omit<ObservedCliqueStatus, 'breachedSince'> => ({
  observedGeneration: count(status['observedGeneration']),
  readyReplicas: count(status['readyReplicas']) ?? 0,
  scheduledReplicas: count(status['scheduledReplicas']) ?? 0,
  updatedReplicas: count(status['updatedReplicas']) ?? 0,
  breach: breachStatus(status),
  templateHash: word(at(status, 'currentPodTemplateHash')),
  generationHash: word(text(at(status, 'currentPodCliqueSetGenerationHash'))),
  progress: podProgress(status),
  isSufficient: isSufficient(status),
});

/** One for which its gang would be terminated: it must not be so for a status that comes late. */
export const isBreachEnding = (
  { observed }: { readonly observed: Pick<ObservedCliqueStatus, 'breachedSince'> },
  after: JsonObject,
): boolean => observed.breachedSince !== undefined && breachStatus(after) !== 'True';
/** Why a PodClique or a scaling group is not ready, where its minimum is. */
export const sufficientReason = 'MinAvailableReady';

/** Its minimum is ready and up to date without what is going, which Grove's counters include:
 *  while pods are replaced, those tell owners too much. */
export const isSufficient = (status: JsonObject): boolean =>
  conditionsOf(status).some(
    (one) =>
      one['type'] === readyType && (one['status'] === 'True' || one['reason'] === sufficientReason),
  );

/** Gang termination acts on it. */
export const isBreachStarting = (before: JsonObject, after: JsonObject): boolean =>
  conditionStatus(conditionsOf(before), breachedType) === 'False' &&
  conditionStatus(conditionsOf(after), breachedType) === 'True';
