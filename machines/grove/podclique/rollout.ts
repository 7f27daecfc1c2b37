// How a PodClique's pods reach a new template (spec controllers 5.5, 5.7): those of an older one
// that are not ready go at once, the others one by one, each when the one before has been replaced
// by a ready pod. What is chosen is written before it is deleted, so a restart takes no second one.
import type { Intent } from '../../contract/intents.ts';
import { firstOf } from '../../contract/limits.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import { remembered } from '../../statechart/remembered.ts';
import { idle } from '../../statechart/step.ts';
import { isFinished, type ObservedPod } from '../objects/pod.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import {
  ended,
  isRunning,
  started,
  startedAndEnded,
  withNext,
  type Progress,
} from '../objects/progress.ts';
import { isHeld, mayReplace } from '../views/rollout.ts';
import { livePods, ownPods, withChosen } from './context.ts';
import type { CliqueContext, Query, Result, Step } from './context.ts';

type PodProgress = Progress<string>;

/** As it was decided, until it is written. */
export const progressOf: Query<PodProgress | undefined> = ({ decided }, clique) =>
  decided === undefined ? clique.observed.progress : decided.progress;

/** Pods of another template than that of the PodClique. */
export const oldPods: Query<readonly ObservedPod[]> = (context, clique) =>
  olderThan(livePods(context, clique), clique.templateHash);

const olderThan = remembered((pods: readonly ObservedPod[], templateHash: string | undefined) =>
  pods.filter((pod) => isOld(pod, { templateHash })),
);

/** Also one that was chosen, until its deletion is seen. */
export const hasOldPods: Query<boolean> = (context, clique) =>
  ownPods(context, clique).some((pod) => !pod.deleting && isOld(pod, clique));

const isOld = (pod: ObservedPod, { templateHash }: Pick<ObservedClique, 'templateHash'>): boolean =>
  templateHash !== undefined && pod.templateHash !== templateHash;

/** One that has ended is not, whatever its conditions say: its node may be gone, which sets its
 *  phase alone. */
const isServing = (pod: ObservedPod): boolean => pod.isReady && !isFinished(pod);

/** Towards the template that it has now. */
const isOfNow = ({ templateHash, generationHash }: ObservedClique, progress: PodProgress) =>
  progress.templateHash === templateHash && progress.generationHash === generationHash;

/** The update that runs, towards what the PodClique is now. */
export const runningProgress: Query<PodProgress | undefined> = (context, clique) => {
  const progress = progressOf(context, clique);
  const isNow = progress !== undefined && isRunning(progress) && isOfNow(clique, progress);
  return isNow ? progress : undefined;
};

/** A restarted process may give the next pod the name of the one that went. */
const isThere = (context: CliqueContext, clique: ObservedClique, chosenName: string): boolean =>
  oldPods(context, clique).some(({ name }) => name === chosenName);

/** The pod that was chosen last has gone, and one that is ready has come for each that was chosen.
 *  No more can come than are wanted beside the older ones (10.2 gap 23). */
const isReplaced = (
  context: CliqueContext,
  clique: ObservedClique,
  { current, completed }: PodProgress,
): boolean => {
  if (current === undefined) return true;
  const live = livePods(context, clique);
  const fresh = live.filter((pod) => isServing(pod) && pod.templateHash === clique.templateHash);
  const most = clique.replicas - oldPods(context, clique).length;
  return !isThere(context, clique, current) && fresh.length >= Math.min(completed.length + 1, most);
};

/** While an update runs a pod counts for old until its deletion was accepted, or the status would
 *  say that all is done while it serves. */
const isCurrent: Query<boolean> = (context, clique) => {
  const progress = runningProgress(context, clique);
  if (progress === undefined) return oldPods(context, clique).length === 0;
  return !hasOldPods(context, clique) && isReplaced(context, clique, progress);
};

const isOpen: Query<boolean> = (context, { generationHash }) => mayReplace(context, generationHash);

/** Where the pods stand to the template. Held: nothing is replaced until somebody changes the set,
 *  or deletes pods; waiting: it is the turn of others. */
export const rolloutRegion = classified<CliqueContext, ObservedClique>({
  current: isCurrent,
  finishing: (context, clique) => oldPods(context, clique).length === 0,
  held: isHeld,
  replacing: isOpen,
  waiting: otherwise,
});

/** The breach of a minimum is not judged while pods are being replaced (10.1 rule 33). */
export const isReplacing: Query<boolean> = (context, clique) =>
  runningProgress(context, clique) !== undefined &&
  !isHeld(context) &&
  (oldPods(context, clique).length === 0 || isOpen(context, clique));

const decide = (progress: PodProgress | undefined): Result => ({
  intents: [],
  changes: { decided: { progress } },
});

export const replacePods: Step = (context, clique, now) => {
  const old = oldPods(context, clique);
  const running = runningProgress(context, clique);
  const before = running ?? started(targetOf(clique), now);
  const next = choose(context, clique, old, before);
  const victims = toReplace(context, clique);
  return {
    intents: victims.length === 0 ? [] : [tellReplaced(old, victims)],
    changes: {
      ...(next === running ? {} : { decided: { progress: next } }),
      ...(victims.length === 0
        ? {}
        : {
            podsToDelete: withChosen(context, victims),
            outdated: new Set([...context.outdated, ...victims.map(({ uid }) => uid)]),
          }),
    },
    waits: [{ say: () => [whyReplacing(context, clique, next)] }],
  };
};

/** In the history alone: the Events of an update are the set's, since one for each pod would be a
 *  sixth of all requests. */
const tellReplaced = (old: readonly ObservedPod[], victims: readonly ObservedPod[]): Intent => ({
  type: 'decide',
  what: `delete ${firstOf(
    victims.map(({ name }) => name),
    5,
  )}`,
  why: `${old.length} pods are of an older template`,
});

/** Old pods that may go now. */
const toReplace: Query<readonly ObservedPod[]> = (context, clique) => {
  const mayLose = hasMinimum(context, clique);
  return oldPods(context, clique).filter(
    (pod) => !isServing(pod) || (mayLose && pod.name === chosen(clique)),
  );
};

/** Pods that an update chose and that may not go any more, as far as they are not terminating: the
 *  template was changed back, the minimum would not be served, or the update is held. */
export const wronglyChosen: Query<readonly ObservedPod[]> = (context, clique) => {
  const { outdated, podsToDelete } = context;
  const waiting = ownPods(context, clique).filter(
    (pod) => outdated.has(pod.uid) && podsToDelete.has(pod.uid) && !pod.deleting,
  );
  if (waiting.length === 0 || isHeld(context)) return waiting;
  const kept = new Set(podsToDelete);
  for (const { uid } of waiting) kept.delete(uid);
  const due = new Set(toReplace({ ...context, podsToDelete: kept }, clique));
  return waiting.filter((pod) => !due.has(pod));
};

const targetOf = ({ generationHash = '', templateHash = '' }: ObservedClique) => ({
  generationHash,
  templateHash,
});

/** As it is written. */
function chosen(clique: ObservedClique): string | undefined {
  const written = clique.observed.progress;
  return written !== undefined && isRunning(written) && isOfNow(clique, written)
    ? written.current
    : undefined;
}

/** The oldest of those that are ready is next, of one age the one with the lowest index, where the
 *  minimum stays served until then. One whose deletion may be on its way goes before all others. */
function choose(
  context: CliqueContext,
  clique: ObservedClique,
  old: readonly ObservedPod[],
  progress: PodProgress,
): PodProgress {
  if (!isReplaced(context, clique, progress)) return progress;
  if (!hasMinimum(context, clique)) return progress;
  const { asked } = context;
  const [oldest] = old
    .filter(isServing)
    .toSorted((a, b) => Number(asked.has(b.uid)) - Number(asked.has(a.uid)) || byAge(a, b));
  return oldest === undefined ? progress : withNext(progress, oldest.name);
}

const hasMinimum: Query<boolean> = (context, clique) =>
  readyPods(context, clique) >= minimumOf(clique);

/** A pod of the template may be lost yet: its deletion was asked for before that was changed
 *  back. */
const readyPods: Query<number> = (context, clique) =>
  livePods(context, clique).filter(
    (pod) => isServing(pod) && (isOld(pod, clique) || !context.asked.has(pod.uid)),
  ).length;

/** Or what is wanted, where that is less. */
const minimumOf = ({ minAvailable, replicas }: ObservedClique): number =>
  Math.min(minAvailable, replicas);

const byAge = (a: ObservedPod, b: ObservedPod): number =>
  (a.createdAt ?? 0) - (b.createdAt ?? 0) ||
  (a.index ?? 0) - (b.index ?? 0) ||
  (a.name < b.name ? -1 : 1);

/** All pods are of the template: the update is over. Not before the PodClique says which generation
 *  that is, as one of Grove's does not at first. */
export const endRollout: Step = (context, clique, now) => {
  const progress = progressOf(context, clique);
  const isOver = isRunning(progress) && clique.generationHash !== undefined;
  return progress !== undefined && isOver ? decide(ended(progress, now)) : idle;
};

/** It was another template's: when its turn comes it begins anew. */
export const awaitTurn: Step = (context, clique) => {
  const progress = progressOf(context, clique);
  const isStale = isRunning(progress) && runningProgress(context, clique) === undefined;
  const waits = [{ say: () => [whyWaiting(context, clique)] }];
  return { ...(isStale ? decide(undefined) : idle), waits };
};

/** Where nothing is ever deleted the update is over at once (5.8), also one that ran when that was
 *  asked for (10.2 gap 25). */
export const holdRollout: Step = (context, clique, now) => {
  const progress = progressOf(context, clique);
  const waits = [{ say: () => [whyHeld(context, clique)] }];
  if (context.rollout?.mode !== 'OnDelete') return { ...idle, waits };
  const isNow = progress !== undefined && isOfNow(clique, progress);
  if (isNow && !isRunning(progress)) return { ...idle, waits };
  const over = isNow ? ended(progress, now) : startedAndEnded(targetOf(clique), now);
  return { ...decide(over), waits };
};

export const awaitLast: Step = (context, clique) => {
  const progress = runningProgress(context, clique);
  const say = () => (progress === undefined ? [] : [whyReplacing(context, clique, progress)]);
  return { ...idle, waits: [{ say }] };
};

function whyReplacing(
  context: CliqueContext,
  clique: ObservedClique,
  progress: PodProgress,
): string {
  const { current } = progress;
  const left = `${oldPods(context, clique).length} of ${clique.replicas} pods are of an older template`;
  const isNext = current !== undefined && isThere(context, clique, current);
  if ((isNext || isReplaced(context, clique, progress)) && !hasMinimum(context, clique)) {
    const ready = `${minimumOf(clique)} pods are ready; ${readyPods(context, clique)} are`;
    return `${left}; the next one goes when at least ${ready}`;
  }
  if (current === undefined) return `${left}; they are being replaced`;
  return isNext
    ? `${left}; pod ${current} is about to be deleted`
    : `${left}; the update goes on when the pod that comes for ${current} is ready`;
}

function whyWaiting(context: CliqueContext, clique: ObservedClique): string {
  const many = oldPods(context, clique).length;
  return `${many} pods are of an older template: the update has not come to this replica of PodCliqueSet ${clique.set} yet`;
}

function whyHeld(context: CliqueContext, clique: ObservedClique): string {
  const many = oldPods(context, clique).length;
  const why =
    context.rollout?.mode === 'OnDelete'
      ? 'the strategy of the set is OnDelete, so each is replaced when somebody deletes it'
      : 'the update of the set is paused';
  return `${many} pods are of an older template: ${why}`;
}
