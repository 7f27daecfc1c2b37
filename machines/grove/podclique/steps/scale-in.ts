// Pods in excess of spec.replicas are chosen for deletion, in Grove's order (spec controllers 7.3).
// The choice sticks: a chosen pod counts as terminating, so a stale cache never costs a second,
// healthy pod (rule 2).
import type { Intent } from '../../../contract/intents.ts';
import { idle } from '../../../statechart/step.ts';
import { isFinished } from '../../objects/pod.ts';
import type { ObservedPod } from '../../objects/pod.ts';
import type { ObservedClique } from '../../objects/podclique.ts';
import { livePods } from '../context.ts';
import type { Step } from '../context.ts';

export const scaleIn: Step = (context, clique) => {
  const live = livePods(context, clique);
  const twins = duplicates(live, clique);
  const rest = live.filter((pod) => !twins.includes(pod));
  const excess = Math.max(0, rest.length - clique.replicas);
  const victims = [...twins, ...rest.toSorted(byFirstToGo(clique)).slice(0, excess)];
  if (victims.length === 0) return idle;
  return {
    intents: [
      {
        type: 'decide',
        what: `delete ${victims.map((pod) => pod.name).join(', ')}`,
        why: `${live.length} pods live and ${clique.replicas} are wanted`,
      },
      deletionEvent(clique, victims),
    ],
    changes: { podsToDelete: new Set([...context.podsToDelete, ...victims.map((pod) => pod.uid)]) },
  };
};

/**
 * All but the best of the pods that share an index. Two can only come about when a create's reply
 * was lost in a crash; they would share a host name.
 */
function duplicates(live: readonly ObservedPod[], clique: ObservedClique): readonly ObservedPod[] {
  const byIndex = Map.groupBy(live, (pod) => pod.index);
  byIndex.delete(undefined);
  return [...byIndex.values()]
    .filter((pods) => pods.length > 1)
    .flatMap((pods) => pods.toSorted(byFirstToGo(clique)).slice(0, -1));
}

const phaseRank = (pod: ObservedPod): number => {
  if (pod.phase === 'Running') return 2;
  return pod.phase === 'Unknown' ? 1 : 0;
};

/**
 * Sorts who goes first to the front, one that ended by itself before all others: it is to be
 * replaced anyway, and may be in excess only because another owner has replaced it. Names break
 * ties, so that equal input gives equal choice.
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
    (a.name < b.name ? -1 : 1);

function byYounger(a: ObservedPod, b: ObservedPod): number {
  if (a.createdAt === undefined || b.createdAt === undefined) {
    return Number(a.createdAt !== undefined) - Number(b.createdAt !== undefined);
  }
  return b.createdAt - a.createdAt;
}

const deletionEvent = (clique: ObservedClique, victims: readonly ObservedPod[]): Intent => ({
  type: 'recordEvent',
  regarding: {
    kind: 'PodClique',
    namespace: clique.namespace,
    name: clique.name,
    uid: clique.uid,
  },
  severity: 'Normal',
  reason: 'PodDeleteSuccessful',
  note: `Deleting ${victims.length} of the pods: ${victims
    .slice(0, 5)
    .map((pod) => pod.name)
    .join(', ')}${victims.length > 5 ? ', ...' : ''}`,
});
