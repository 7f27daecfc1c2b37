// How the replicas of a scaling group reach a new template (spec controllers 5.5, 5.6): members of
// a replica of an older one are deleted and made anew. Replicas that are not ready go at once, the
// others one by one, the lowest first, each when the one before is up to date and ready. What is
// chosen is written before it is deleted.
import type { Intent } from '../../contract/intents.ts';
import { normal } from '../../contract/object-intents.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import { idle } from '../../statechart/step.ts';
import { leavingOf, type Leaving } from '../children/reconcile.ts';
import { replicaAt } from '../children/replicas.ts';
import { maxReplicasPerGroup } from '../objects/limits.ts';
import {
  ended,
  isRunning,
  started,
  startedAndEnded,
  withNext,
  type Progress,
} from '../objects/progress.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';
import type { ObservedGroup } from '../objects/scalinggroup.ts';
import { isHeld, mayReplace } from '../views/rollout.ts';
import { memberGoes, memberTable, type Source } from './children/member.ts';
import { isIn, replicasIn, sourceOf } from './context.ts';
import type { GroupContext, Query, Result, Step } from './context.ts';

type ReplicaProgress = Progress<number>;

/** As it was decided, until it is written. */
export const progressOf: Query<ReplicaProgress | undefined> = ({ decided }, group) =>
  decided === undefined ? group.observed.progress : decided.progress;

/** Of the set that it belongs to; undefined while nothing is known of that. */
const generationOf: Query<string | undefined> = (context, group) =>
  sourceOf(context, group)?.set.generationHash;

/** The update that runs, towards what the set wants now. */
const runningProgress: Query<ReplicaProgress | undefined> = (context, group) => {
  const progress = progressOf(context, group);
  const isNow = progress?.generationHash === generationOf(context, group);
  return isRunning(progress) && isNow ? progress : undefined;
};

/** Replicas of an older template. */
export const oldReplicas = (context: GroupContext): number =>
  replicasIn(context, 'template.ready') + replicasIn(context, 'template.unready');

/** The one that was chosen last is up to date and ready, or wanted no more. */
const isReplaced = (context: GroupContext, group: ObservedGroup, progress: ReplicaProgress) => {
  const { current } = progress;
  return (
    current === undefined ||
    current >= group.replicas ||
    isIn(replicaAt(context, current), 'update.updated')
  );
};

const isCurrent: Query<boolean> = (context, group) => {
  if (oldReplicas(context) > 0) return false;
  const progress = runningProgress(context, group);
  if (progress === undefined) return true;
  return isReplaced(context, group, progress) && (isHeld(context) || areReached(context, group));
};

/** All replicas are at the set's generation, ready or not: those that went at once are back (10.2
 *  gap 26). */
export const areReached: Query<boolean> = (context, group) =>
  replicasIn(context, 'update.updated') + replicasIn(context, 'update.reached') >= group.replicas;

/** What is of an older template may be replaced now. */
export const isOpen: Query<boolean> = (context, group) =>
  mayReplace(context, generationOf(context, group));

/** Where the replicas stand to the template. Held: nothing is replaced until somebody changes the
 *  set; waiting: it is the turn of others. */
export const rolloutRegion = classified<GroupContext, ObservedGroup>({
  current: isCurrent,
  finishing: (context) => oldReplicas(context) === 0,
  held: isHeld,
  replacing: isOpen,
  waiting: otherwise,
});

/** The breach of a minimum is not judged while replicas are being replaced (10.1 rule 33). */
export const isReplacing: Query<boolean> = (context, group) =>
  runningProgress(context, group) !== undefined &&
  !isHeld(context) &&
  (oldReplicas(context) === 0 || isOpen(context, group));

const decide = (progress: ReplicaProgress | undefined): Result => ({
  intents: [],
  changes: { decided: { progress } },
});

export const replaceReplicas: Step = (context, group, now) => {
  const source = sourceOf(context, group);
  if (source === undefined) return idle;
  const { generationHash } = source.set;
  const running = runningProgress(context, group);
  const before: ReplicaProgress = running ?? started({ generationHash }, now);
  const next = choose(context, group, before);
  const mayLose = hasMinimum(context, group);
  const victims = indices(group).filter((index) => {
    const replica = replicaAt(context, index);
    const isChosen = index === chosen(context, group) && isIn(replica, 'template.ready');
    return (mayLose && isChosen) || isIn(replica, 'template.unready');
  });
  const deletions = victims.flatMap((index) => deletionsOf(context, group, source, index));
  const isNews = next !== running;
  return {
    intents: isNews ? [...deletions, replacingEvent(context, source.set, group, next)] : deletions,
    changes: isNews ? { decided: { progress: next } } : {},
    waits: [{ say: () => [whyReplacing(context, group, next)] }],
  };
};

/** As it is written. */
function chosen(context: GroupContext, group: ObservedGroup): number | undefined {
  const written = group.observed.progress;
  const isNow = written?.generationHash === generationOf(context, group);
  return isRunning(written) && isNow ? written?.current : undefined;
}

const indices = ({ replicas }: ObservedGroup): readonly number[] =>
  Array.from({ length: Math.min(replicas, maxReplicasPerGroup) }, (_, index) => index);

/** The lowest of those that are ready is next, where the minimum stays served until then. */
function choose(
  context: GroupContext,
  group: ObservedGroup,
  progress: ReplicaProgress,
): ReplicaProgress {
  if (!isReplaced(context, group, progress)) return progress;
  if (!hasMinimum(context, group)) return progress;
  const next = indices(group).find((index) => isIn(replicaAt(context, index), 'template.ready'));
  return next === undefined ? progress : withNext(progress, next);
}

const hasMinimum: Query<boolean> = (context, group) =>
  replicasIn(context, 'availability.available') >= minimumOf(group);

/** Or what is wanted, where that is less. */
const minimumOf = ({ minAvailable, replicas }: ObservedGroup): number =>
  Math.min(minAvailable, replicas);

/** Members of the newest template first: when only they are left nothing says any more that the
 *  replica is being replaced. */
function deletionsOf(context: GroupContext, group: ObservedGroup, source: Source, index: number) {
  const { children } = replicaAt(context, index);
  const leaving = leavingOf(memberTable, memberGoes, children, group);
  const isCurrent = ({ child }: Leaving): boolean =>
    source.template.members.some(({ name, hash }) => {
      const member = children.PodClique.get(name);
      return member?.uid === child.uid && member.templateHash === hash;
    });
  const current = leaving.filter(isCurrent);
  return (current.length > 0 ? current : leaving).map(({ depart }) =>
    depart(`group replica ${index} is of an older template`),
  );
}

/** On the set, as in Grove (spec controllers 9.3). */
function replacingEvent(
  context: GroupContext,
  set: ObservedSet,
  group: ObservedGroup,
  { current }: ReplicaProgress,
): Intent {
  const next = current === undefined ? [] : [`replica ${current}`];
  const unready = replicasIn(context, 'template.unready');
  const rest = unready === 0 ? [] : [`${unready} replicas that are not ready`];
  const note = `Update of ${group.name}: replacing ${[...next, ...rest].join(' and ')}`;
  return normal(set, 'PodCliqueScalingGroupReplicaDeleteSuccessful', note);
}

/** All replicas are of the template: the update is over. */
export const endRollout: Step = (context, group, now) => {
  const progress = progressOf(context, group);
  const isKnown = generationOf(context, group) !== undefined;
  if (progress !== undefined && isRunning(progress) && isKnown) return decide(ended(progress, now));
  return isKnown ? closeOnDelete(context, group, now) : idle;
};

/** It was another template's: when its turn comes it begins anew. */
export const awaitTurn: Step = (context, group) => {
  const isStale =
    isRunning(progressOf(context, group)) && runningProgress(context, group) === undefined;
  const say = () => [
    `${oldReplicas(context)} replicas are of an older template: the update has not come to this replica of PodCliqueSet ${group.set} yet`,
  ];
  return { ...(isStale ? decide(undefined) : idle), waits: [{ say }] };
};

export const holdRollout: Step = (context, group, now) => {
  const result = closeOnDelete(context, group, now);
  const why =
    context.rollout?.mode === 'OnDelete'
      ? 'the strategy of the set is OnDelete, so members are patched in place'
      : 'the update of the set is paused';
  const say = () => [`${oldReplicas(context)} replicas are of an older template: ${why}`];
  return { ...result, waits: [{ say }] };
};

/** Where nothing is ever deleted an update is over at once (5.8), also one that ran when that was
 *  asked for (10.2 gap 25). */
function closeOnDelete(context: GroupContext, group: ObservedGroup, now: EpochMs): Result {
  const { rollout } = context;
  const generationHash = generationOf(context, group);
  if (rollout?.mode !== 'OnDelete' || generationHash === undefined) return idle;
  const progress = progressOf(context, group);
  const isNow = progress?.generationHash === generationHash;
  if (progress !== undefined && isNow) {
    return isRunning(progress) ? decide(ended(progress, now)) : idle;
  }
  const isNew = group.observed.generationHash === undefined;
  const isReached = group.observed.generationHash === generationHash;
  return isNew || isReached ? idle : decide(startedAndEnded({ generationHash }, now));
}

export const awaitLast: Step = (context, group) => {
  const progress = runningProgress(context, group);
  const say = () => (progress === undefined ? [] : [whyReplacing(context, group, progress)]);
  return { ...idle, waits: [{ say }] };
};

function whyReplacing(
  context: GroupContext,
  group: ObservedGroup,
  progress: ReplicaProgress,
): string {
  const { current } = progress;
  const left = `${oldReplicas(context)} of ${group.replicas} replicas are of an older template`;
  const isNext = isReplaced(context, group, progress);
  if (isNext && oldReplicas(context) === 0) {
    return 'the update is over once the replicas that it has deleted are back';
  }
  if (isNext && !hasMinimum(context, group)) {
    const available = `${minimumOf(group)} are available; ${replicasIn(context, 'availability.available')} are`;
    return `${left}; the next one goes when at least ${available}`;
  }
  return current === undefined
    ? `${left}; they are being replaced`
    : `${left}; the update goes on when replica ${current} is up to date and ready`;
}
