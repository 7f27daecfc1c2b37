// A pod of ours that lost a label gets it back: that by which all pods of ours are watched also
// where it is going, since nobody else would tell of what becomes of it; that of its gang where the
// PodGang lists it, as it counts for nobody without.
import { label, managedBy } from '../../objects/labels.ts';
import type { ObservedPod } from '../../objects/pod.ts';
import type { ObservedClique } from '../../objects/podclique.ts';
import { ownGroup, ownPods } from '../context.ts';
import type { CliqueContext, Step } from '../context.ts';

export const restoreLabel: Step = (context, clique) => ({
  intents: ownPods(context, clique).flatMap((pod) => {
    const labels = lostLabels(context, clique, pod);
    if (labels.length === 0) return [];
    return [
      {
        type: 'patchObject',
        ref: { kind: 'Pod', namespace: pod.namespace, name: pod.name },
        reason: `it lost the label ${labels.map(([name]) => name).join(' and ')}`,
        // It may take the place of the removal of a gate.
        urgency: 'first',
        patch: { metadata: { labels: Object.fromEntries(labels) } },
        uid: pod.uid,
      },
    ];
  }),
  changes: {},
});

function lostLabels(
  context: CliqueContext,
  clique: ObservedClique,
  pod: ObservedPod,
): readonly (readonly [string, string])[] {
  const { gang } = clique;
  const isListed = ownGroup(context, clique)?.pods.has(pod.name) === true;
  const lacksLabel = gang !== undefined && pod.gang !== gang && isListed && !pod.deleting;
  return [
    ...(pod.isMarked ? [] : [[label.managedBy, managedBy] as const]),
    ...(lacksLabel ? [[label.podGang, gang] as const] : []),
  ];
}
