// The pods to delete are deleted: asked for at every reconcile until each is seen terminating or
// gone.
import { ownPods } from '../context.ts';
import type { Step } from '../context.ts';

export const deletePods: Step = (context, clique) => {
  const there = ownPods(context, clique).filter((pod) => context.podsToDelete.has(pod.uid));
  const uids = new Set(there.map((pod) => pod.uid));
  return {
    intents: there
      .filter((pod) => !pod.deleting)
      .map((pod) => ({
        type: 'deleteObject',
        ref: { kind: 'Pod', namespace: pod.namespace, name: pod.name },
        reason: 'chosen to go',
        uid: pod.uid,
      })),
    changes: uids.size === context.podsToDelete.size ? {} : { podsToDelete: uids },
  };
};
