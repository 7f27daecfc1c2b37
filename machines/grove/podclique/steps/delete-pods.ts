// Which pods of a PodClique go: those in excess of spec.replicas, in Grove's order (spec
// controllers 7.3), and all where it is being deleted. A choice sticks: a chosen pod counts as
// terminating, and goes before all others, so a stale cache never costs a second, healthy pod (rule
// 2).
import type { Intent } from '../../../contract/intents.ts';
import { remembered } from '../../../statechart/remembered.ts';
import { idle } from '../../../statechart/step.ts';
import { isFinished, type ObservedPod } from '../../objects/pod.ts';
import type { ObservedClique } from '../../objects/podclique.ts';
import { livePods, ownPods, withChosen } from '../context.ts';
import type { CliqueContext, Query, Result, Step } from '../context.ts';
import { removeFinalizer } from '../../finalizer.ts';
import { wronglyChosen } from '../rollout.ts';
import { firstOf } from '../../../contract/limits.ts';
import { deletionOf, normal } from '../../../contract/object-intents.ts';

export const scaleIn: Step = (context, clique) => {
  const { inExcess, asked } = context;
  const live = livePods(context, clique);
  const twins = duplicates(live, clique.templateHash);
  const rest = twins.length === 0 ? live : live.filter((pod) => !twins.includes(pod));
  const excess = rest.length - clique.replicas;
  if (excess < 0 && twins.length === 0) return keepAgain(context, clique, -excess);
  if (excess <= 0 && twins.length === 0) return idle;
  const before = (pod: ObservedPod): number =>
    Number(!inExcess.has(pod.uid) && !asked.has(pod.uid));
  const order = byFirstToGo(clique);
  const toGo = rest
    .toSorted((a, b) => before(a) - before(b) || order(a, b))
    .slice(0, Math.max(0, excess));
  const victims = [...twins, ...toGo];
  return {
    intents: [
      {
        type: 'decide',
        what: `delete ${victims.map((pod) => pod.name).join(', ')}`,
        why: `${live.length} pods live and ${clique.replicas} are wanted`,
      },
      deletionEvent(clique, victims),
    ],
    changes: {
      podsToDelete: withChosen(context, victims),
      inExcess: new Set([...inExcess, ...toGo.map((pod) => pod.uid)]),
    },
  };
};

/** What was in excess is not when others went meanwhile, or more are wanted again; and what an
 *  update chose may have to stay. Its deletion may wait to be sent; where it is done already it is
 *  replaced as soon as that is seen. */
function keepAgain(context: CliqueContext, clique: ObservedClique, most: number): Result {
  const { inExcess, podsToDelete } = context;
  const chosenWrongly = wronglyChosen(context, clique);
  const kept = ownPods(context, clique)
    .filter((pod) => inExcess.has(pod.uid) || chosenWrongly.includes(pod))
    .filter((pod) => podsToDelete.has(pod.uid))
    .filter((pod) => !pod.deleting && !isFinished(pod))
    .slice(0, most)
    .map((pod) => pod.uid);
  if (kept.length === 0) return idle;
  const left = new Set([...podsToDelete].filter((uid) => !kept.includes(uid)));
  return { intents: [], changes: { podsToDelete: left } };
}

/**
 * All but the best of the pods that share an index. Two can only come about when a create's reply
 * was lost in a crash; they would share a host name.
 */
const duplicates = remembered(
  (live: readonly ObservedPod[], templateHash: string | undefined): readonly ObservedPod[] => {
    const byIndex = Map.groupBy(live, (pod) => pod.index);
    byIndex.delete(undefined);
    return [...byIndex.values()]
      .filter((pods) => pods.length > 1)
      .flatMap((pods) => pods.toSorted(byFirstToGo({ templateHash })).slice(0, -1));
  },
);

const phaseRank = (pod: ObservedPod): number => {
  if (pod.phase === 'Running') return 2;
  return pod.phase === 'Unknown' ? 1 : 0;
};

/**
 * Sorts who goes first to the front, one that ended by itself before all others: it is to be
 * replaced anyway, and may be in excess only because another owner has replaced it. Of one age, as
 * pods of one deploy are, the highest index goes first. Names break ties, so that equal input gives
 * equal choice.
 */
export const byFirstToGo =
  (clique: Pick<ObservedClique, 'templateHash'>) =>
  (a: ObservedPod, b: ObservedPod): number =>
    Number(b.deleting) - Number(a.deleting) ||
    Number(isFinished(b)) - Number(isFinished(a)) ||
    Number(a.nodeName !== undefined) - Number(b.nodeName !== undefined) ||
    phaseRank(a) - phaseRank(b) ||
    Number(a.isReady) - Number(b.isReady) ||
    Number(a.templateHash === clique.templateHash) -
      Number(b.templateHash === clique.templateHash) ||
    byYounger(a, b) ||
    (b.index ?? 0) - (a.index ?? 0) ||
    (a.name < b.name ? -1 : 1);

function byYounger(a: ObservedPod, b: ObservedPod): number {
  if (a.createdAt === undefined || b.createdAt === undefined) {
    return Number(a.createdAt !== undefined) - Number(b.createdAt !== undefined);
  }
  return b.createdAt - a.createdAt;
}

function deletionEvent(clique: ObservedClique, victims: readonly ObservedPod[]): Intent {
  const names = victims.map((pod) => pod.name);
  const note = `Deleting ${victims.length} of the pods: ${firstOf(names, 5)}`;
  return normal(clique, 'PodDeleteSuccessful', note);
}

/** Asked for at every reconcile until each is seen terminating or gone. */
export const deletePods: Step = (context, clique) => {
  const own = ownPods(context, clique);
  const { podsToDelete, asked } = context;
  const going = own.filter((pod) => podsToDelete.has(pod.uid) && !pod.deleting);
  const maybe = own.filter((pod) => asked.has(pod.uid) && !pod.deleting);
  const unanswered = new Set([...maybe, ...going].map((pod) => pod.uid));
  const isSame = unanswered.size === asked.size && maybe.length === asked.size;
  return {
    intents: going.map((pod) => deletionOf(pod, 'chosen to go')),
    changes: {
      ...withoutGone(context, own, 'podsToDelete'),
      ...withoutGone(context, own, 'inExcess'),
      ...withoutGone(context, own, 'outdated'),
      ...(isSame ? {} : { asked: unanswered }),
    },
  };
};

function withoutGone(
  context: CliqueContext,
  own: readonly ObservedPod[],
  field: 'podsToDelete' | 'inExcess' | 'outdated',
): Partial<CliqueContext> {
  const left = own.filter((pod) => context[field].has(pod.uid)).map((pod) => pod.uid);
  return left.length === context[field].size ? {} : { [field]: new Set(left) };
}

/**
 * What a PodClique that is being deleted wants: its pods deleted, all at once, and then our
 * finalizer gone; nothing is waited for but the answers. Where the user asked to keep the pods only
 * the finalizer goes (decision 0009).
 */
export const deleteAll: Step = (context, clique) => {
  const pods = podsToDelete(context, clique);
  const isWaiting = deletionsAwaited(context, clique).length > 0;
  return {
    intents: [
      ...pods.map((pod) => deletionOf(pod, 'its PodClique is being deleted')),
      ...(isWaiting ? [] : removeFinalizer(clique)),
    ],
    changes: {},
  };
};

const podsToDelete: Query<readonly ObservedPod[]> = (context, clique) =>
  context.isOrphaning ? [] : ownPods(context, clique).filter((pod) => !pod.deleting);

/** Pods that the finalizer waits for: their deletion was neither accepted nor refused. */
export const deletionsAwaited: Query<readonly ObservedPod[]> = (context, clique) =>
  podsToDelete(context, clique).filter((pod) => !context.refused.has(pod.uid));
