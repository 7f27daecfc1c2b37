// What a PodClique that is being deleted wants: its pods deleted, all at once, and then our
// finalizer gone; nothing is waited for but the answers. Where the user asked to keep the pods only
// the finalizer goes (decision 0009).
import type { Intent } from '../../../contract/intents.ts';
import { removeFinalizer } from '../../finalizer.ts';
import type { ObservedPod } from '../../objects/pod.ts';
import type { ObservedClique } from '../../objects/podclique.ts';
import { ownPods } from '../context.ts';
import type { CliqueContext, Step } from '../context.ts';

export const deleteAll: Step = (context, clique) => {
  const pods = podsToDelete(context, clique);
  const isWaiting = deletionsAwaited(context, clique).length > 0;
  return {
    intents: [...pods.map(removal), ...(isWaiting ? [] : removeFinalizer(clique))],
    changes: {},
  };
};

/** Pods of a PodClique being deleted that are not terminating yet. */
const podsToDelete = (context: CliqueContext, clique: ObservedClique): readonly ObservedPod[] =>
  context.isOrphaning ? [] : ownPods(context, clique).filter((pod) => !pod.deleting);

/** Pods that the finalizer waits for: their deletion was neither accepted nor refused. */
export const deletionsAwaited = (
  context: CliqueContext,
  clique: ObservedClique,
): readonly ObservedPod[] =>
  podsToDelete(context, clique).filter((pod) => !context.refused.has(pod.uid));

const removal = (pod: ObservedPod): Intent => ({
  type: 'deleteObject',
  ref: { kind: 'Pod', namespace: pod.namespace, name: pod.name },
  reason: 'its PodClique is being deleted',
  uid: pod.uid,
});
