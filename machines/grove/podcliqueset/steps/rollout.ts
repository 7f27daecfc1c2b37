// The steps of an update of a set: it begins with another template, goes from one replica to the
// next, and ends when all are of the template (spec controllers 5.2 to 5.4).
import { normal } from '../../../contract/object-intents.ts';
import { epoch, rfc3339, type EpochMs } from '../../../kubernetes/time.ts';
import { idle } from '../../../statechart/step.ts';
import { entries } from '../../children/radix.ts';
import { replicaAt } from '../../children/replicas.ts';
import { annotation } from '../../objects/labels.ts';
import type { ObservedSet } from '../../objects/podcliqueset.ts';
import { ended, isOfOnDelete, isRunning, type SetProgress } from '../../objects/progress.ts';
import { isIn, replicasIn } from '../context.ts';
import type { Query, Replica, Result, SetContext, Step } from '../context.ts';
import { whyReplica } from '../explain.ts';
import { rolloutOf, turnOf } from '../rollout.ts';

/** Another template is another update, whatever ran before; where pods are replaced by nobody it is
 *  over at once (5.3), also one that ran when that was asked for (10.2 gap 25). What that has left
 *  is another update when the strategy is RollingRecreate again. */
export const followTemplate: Step = (context, set, now) => {
  const { hash, progress } = rolloutOf(context, set);
  const { generationHash, updatesOnDelete } = set;
  const isCurrent = hash === generationHash;
  const isLeft = isCurrent && !updatesOnDelete && isOfOnDelete(progress) && hasOld(context, set);
  if (isCurrent && !isLeft) {
    if (progress === undefined || !updatesOnDelete || !isRunning(progress)) return idle;
    const closed = ended({ startedAt: rfc3339(now) }, now);
    return { intents: [], changes: { decided: { hash, progress: closed } } };
  }
  if (hash === undefined) {
    return { intents: [], changes: { decided: { hash: generationHash, progress } } };
  }
  const fresh: SetProgress = { startedAt: rfc3339(now) };
  const next = updatesOnDelete ? ended(fresh, now) : fresh;
  const how = updatesOnDelete ? 'pods are replaced when they are deleted' : 'replica by replica';
  const what = isLeft ? 'OnDelete has left pods of an older template' : 'The template has changed';
  const note = `${what}: ${set.replicas} replicas are updated, ${how}`;
  return {
    intents: [normal(set, 'PodCliqueSetUpdateStarted', note)],
    changes: { decided: { hash: generationHash, progress: next } },
  };
};

/** By the statuses of its children: some were at another template, or have ready pods of one. */
const hasOld: Query<boolean> = (context, set) =>
  [...entries(context.replicas)].some(([index, { children }]) => {
    const isAt = (of: { readonly generationHash: string | undefined }): boolean =>
      (of.generationHash ?? set.generationHash) === set.generationHash;
    const { PodClique: cliques, PodCliqueScalingGroup: groups } = children;
    const areNew =
      [...cliques.values()].every(
        ({ observed: of }) => isAt(of) && of.readyReplicas <= of.updatedReplicas,
      ) &&
      [...groups.values()].every(
        ({ observed: of }) => isAt(of) && of.availableReplicas <= of.updatedReplicas,
      );
    return index < set.replicas && !areNew;
  });

/** The replica whose turn it is goes on; then comes the next, and at the end there is none. */
export const advanceRollout: Step = (context, set, now) => {
  const { hash, progress } = rolloutOf(context, set);
  if (progress === undefined) return idle;
  if (turnOf(context, set) !== undefined) {
    return { ...idle, waits: [{ say: () => [whyReplacing(context, set)] }] };
  }
  const index = nextReplica(context, set);
  if (index === undefined) return end(set, progress, now);
  const selected = { index, startedAt: rfc3339(now) };
  return {
    intents: [{ type: 'decide', what: `update replica ${index}`, why: sayDone(context, set) }],
    changes: { decided: { hash, progress: { ...progress, selected } } },
  };
};

/** Those that lose least go first: without a scheduled pod, then in breach, then by index. The
 *  totals tell whether there are such: replicas are many, and this is asked at each turn. */
const nextReplica: Query<number | undefined> = (context, set) => {
  const isDue = (replica: Replica): boolean => !isIn(replica, 'turn.done');
  const first = (isIt: (replica: Replica) => boolean): number | undefined => {
    for (let index = 0; index < set.replicas; index++) {
      if (isIt(replicaAt(context, index))) return index;
    }
    return undefined;
  };
  const firstIn = (state: 'turn.harmless' | 'termination.breached'): number | undefined =>
    replicasIn(context, state) === 0
      ? undefined
      : first((replica) => isDue(replica) && isIn(replica, state));
  return firstIn('turn.harmless') ?? firstIn('termination.breached') ?? first(isDue);
};

function end(set: ObservedSet, progress: SetProgress, now: EpochMs): Result {
  const seconds = Math.round((now - (epoch(progress.startedAt) ?? now)) / 1000);
  const note = `All ${set.replicas} replicas are of the template, after ${seconds} s`;
  return {
    intents: [normal(set, 'PodCliqueSetUpdateCompleted', note)],
    changes: { decided: { hash: set.generationHash, progress: ended(progress, now) } },
  };
}

function whyReplacing(context: SetContext, set: ObservedSet): string {
  const index = turnOf(context, set) ?? 0;
  const replica = replicaAt(context, index);
  const [reason] = whyReplica(set, index, replica);
  const why = reason ?? whyOutdated(set, replica);
  return `the update is at replica ${index}, ${sayDone(context, set)}: ${why}`;
}

/** The first that has not reached the template. */
function whyOutdated(set: ObservedSet, { children }: Replica): string {
  const clique = [...children.PodClique.values()].find(
    ({ observed }) => observed.generationHash !== set.generationHash,
  );
  const group = [...children.PodCliqueScalingGroup.values()].find(
    ({ observed }) => observed.generationHash !== set.generationHash,
  );
  const { name, replicas, observed } = clique ?? group ?? {};
  const what = clique === undefined ? 'replicas of PodCliqueScalingGroup' : 'pods of PodClique';
  return observed === undefined
    ? 'its statuses are about to say that it is done'
    : `${observed.updatedReplicas} of ${replicas} ${what} ${name} are of the template`;
}

const whyPaused: Query<string> = (context, set) =>
  `the update is paused, ${sayDone(context, set)}: annotation ${annotation.pauseUpdate} holds it`;

const sayDone: Query<string> = (context, set) =>
  `${replicasIn(context, 'turn.done')} of ${set.replicas} are done`;

export const awaitRelease: Step = (context, set) => ({
  ...idle,
  waits: set.isPaused ? [{ say: () => [whyPaused(context, set)] }] : [],
});
