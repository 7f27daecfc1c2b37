// A pod of ours that lost the label by which all pods of ours are watched gets it back, also
// one that is going: nobody else would tell of what becomes of it.
import { label, managedBy } from '../../grove/labels.ts';
import { ownPods } from '../context.ts';
import type { Step } from '../context.ts';

export const restoreLabel: Step = (context, clique) => ({
  intents: ownPods(context, clique)
    .filter((pod) => !pod.isMarked)
    .map((pod) => ({
      type: 'patchObject',
      ref: { kind: 'Pod', namespace: pod.namespace, name: pod.name },
      reason: `it lost the label ${label.managedBy}`,
      // It may take the place of the removal of a gate.
      urgency: 'first',
      patch: { metadata: { labels: { [label.managedBy]: managedBy } } },
      uid: pod.uid,
    })),
  changes: {},
});
