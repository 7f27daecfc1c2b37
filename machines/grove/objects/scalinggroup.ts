// What the actors need to know of a PodCliqueScalingGroup (spec api 1.4). Read by the scalinggroup
// actor (its own) and by the podcliqueset actor (its child).
import { at, count, isObject, object, strings, word } from '../../kubernetes/json.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { breachOfGroup, breachStatus, isTerminated } from './breach.ts';
import { keptIn, type Kept } from './kept-replicas.ts';
import { reading, setOf } from './meta.ts';
import { replicaProgress, type Progress } from './progress.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import { isSufficient } from './podclique.ts';

export interface ObservedGroupStatus {
  readonly availableReplicas: number;
  readonly scheduledReplicas: number;
  readonly updatedReplicas: number;
  /** The generation of the set that all members have reached. */
  readonly generationHash: string | undefined;
  /** How far the update of its replicas has come. */
  readonly progress: Progress<number> | undefined;
  /** Status of MinAvailableBreached. */
  readonly breach: string | undefined;
  /** Since when it is below its minimum, where that counts for gang termination. */
  readonly breachedSince: EpochMs | undefined;
  /** Its replica of the set was terminated, and it was not sound since. */
  readonly isTerminated: boolean;
  readonly isSufficient: boolean;
}

export interface ObservedGroup extends Meta {
  readonly kind: 'PodCliqueScalingGroup';
  /** Name of the PodCliqueSet of its tree; empty where it is not ours. */
  readonly set: string;
  /** Belongs to whoever scales the group. */
  readonly replicas: number;
  /** Absent counts as 1 (spec controllers 10.1 rule 31). */
  readonly minAvailable: number;
  readonly cliqueNames: readonly string[];
  /** Of members that are to be made again. */
  readonly kept: Kept;
  /** The spec as read, for comparison. */
  readonly spec: JsonObject;
  readonly status: JsonObject;
  readonly observed: ObservedGroupStatus;
}

export const readGroup = reading((source, meta): ObservedGroup | Malformed => {
  const spec = source['spec'];
  if (!isObject(spec)) return { malformed: 'spec is not an object' };
  const status = object(source['status']);
  return {
    ...meta,
    kind: 'PodCliqueScalingGroup',
    set: setOf(meta),
    replicas: count(spec['replicas']) ?? 1,
    minAvailable: count(spec['minAvailable']) ?? 1,
    cliqueNames: strings(spec['cliqueNames']),
    kept: keptIn(meta),
    spec,
    status,
    observed: {
      availableReplicas: count(status['availableReplicas']) ?? 0,
      scheduledReplicas: count(status['scheduledReplicas']) ?? 0,
      updatedReplicas: count(status['updatedReplicas']) ?? 0,
      generationHash: word(at(status, 'currentPodCliqueSetGenerationHash')),
      progress: replicaProgress(status),
      breach: breachStatus(status),
      breachedSince: breachOfGroup(meta, status),
      isTerminated: isTerminated(status),
      isSufficient: isSufficient(status),
    },
  };
});
