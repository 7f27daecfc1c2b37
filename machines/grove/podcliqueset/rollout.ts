// How the replicas of a set reach a new template: one after the other (spec controllers 5.2, 5.4).
// The set says in its status whose turn it is; PodCliques and scaling groups of that replica read
// it there (views/rollout.ts) and replace what is theirs. Another template begins anew.
import { at, word } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import { replicaAt } from '../children/replicas.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';
import {
  isRunning,
  otherFields,
  setProgress,
  setProgressField,
  type SetProgress,
} from '../objects/progress.ts';
import { isIn, totalOf } from './context.ts';
import type { Query, SetContext, SetRollout } from './context.ts';

export const writtenRollout = ({ status }: ObservedSet): SetRollout => ({
  hash: word(at(status, 'currentGenerationHash')),
  progress: setProgress(status),
});

/** As it was decided, until it is written. */
export const rolloutOf: Query<SetRollout> = ({ decided }, set) => decided ?? writtenRollout(set);

/** Undefined where no update runs. */
export const runningProgress: Query<SetProgress | undefined> = (context, set) => {
  const { hash, progress } = rolloutOf(context, set);
  return hash === set.generationHash && isRunning(progress) ? progress : undefined;
};

/** The replica whose turn it is, as long as it is wanted and not done. */
export const turnOf: Query<number | undefined> = (context, set) => {
  const { index } = runningProgress(context, set)?.selected ?? {};
  if (index === undefined || index >= set.replicas) return undefined;
  return isIn(replicaAt(context, index), 'update.updated') ? undefined : index;
};

/** Where the replicas stand to the template. Held: somebody has paused the update, or nothing can
 *  be planned from the spec. Where pods are replaced by nobody no update runs. */
export const rolloutRegion = classified<SetContext, ObservedSet>({
  held: (context, set) => set.problem !== undefined || (set.isPaused && isRolling(context, set)),
  replacing: (context, set) => isRolling(context, set),
  current: otherwise,
});

const isRolling: Query<boolean> = (context, set) =>
  !set.updatesOnDelete && runningProgress(context, set) !== undefined;

/** Of the status. */
export function rolloutFields(context: SetContext, set: ObservedSet): JsonObject {
  const { hash, progress } = rolloutOf(context, set);
  return {
    ...(hash === undefined ? {} : { currentGenerationHash: hash }),
    ...(progress === undefined ? {} : { updateProgress: progressField(context, set, progress) }),
  };
}

const progressField = (
  context: SetContext,
  set: ObservedSet,
  progress: SetProgress,
): JsonObject => ({
  ...otherFields(set.status),
  ...setProgressField(progress),
  updatedPodCliquesCount: totalOf(context, 'cliques.updated'),
  totalPodCliquesCount: set.replicas * set.cliques.length,
  updatedPodCliqueScalingGroupsCount: totalOf(context, 'groups.updated'),
  totalPodCliqueScalingGroupsCount: set.replicas * set.groups.length,
});
