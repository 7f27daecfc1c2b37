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
import { readAdopted } from '../objects/adopted.ts';
import { annotation } from '../objects/labels.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import { entries } from '../children/radix.ts';
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
  return isIn(replicaAt(context, index), 'turn.done') ? undefined : index;
};

/** The status names a generation that is none of ours, and so do children. Asked once for each
 *  generation: the annotation says that it was. */
export const isAdopting: Query<boolean> = (context, set) => {
  const { hash } = writtenRollout(set);
  if (hash === undefined || hash === set.generationHash) return false;
  const { of } = readAdopted(set.annotations[annotation.adoptedHashes]);
  return of !== set.generationHash && hasForeignChildren(context, set);
};

/** Children of ours say which generation they are to reach. */
export const isForeign = (clique: ObservedClique | undefined): boolean =>
  clique !== undefined && clique.generationHash === undefined;

function hasForeignChildren(context: SetContext, set: ObservedSet): boolean {
  for (const [, replica] of entries(context.replicas)) {
    for (const clique of replica.children.PodClique.values()) {
      if (isForeign(clique) && !clique.deleting && clique.set === set.name) return true;
    }
  }
  return false;
}

/** Where the replicas stand to the template. Held: somebody has paused the update, or nothing can
 *  be planned from the spec. Where pods are replaced by nobody no update runs. */
export const rolloutRegion = classified<SetContext, ObservedSet>({
  held: (context, set) =>
    set.problem !== undefined ||
    isAdopting(context, set) ||
    (set.isPaused && isRolling(context, set)),
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
