// Our gate is taken from pods that still carry it, once their gang is initialized, lists
// them, need not wait for another, and has the PodGroup that their scheduler needs. Gates of others
// stay (spec controllers 3.4, 10.1 rule 22, 10.2 gap 16).
import type { Intent } from '../../../contract/intents.ts';
import { idle } from '../../../statechart/step.ts';
import { label, managedBy, podGate } from '../../objects/labels.ts';
import { hasOurGate, type ObservedPod } from '../../objects/pod.ts';
import {
  currentGang,
  isBaseOpen,
  livePods,
  missingPodGroup,
  ownGroup,
  ownPods,
} from '../context.ts';
import type { CliqueContext, Step } from '../context.ts';
import type { ObservedClique } from '../../objects/podclique.ts';
import { patchOf } from '../../../contract/object-intents.ts';

export const removeGates: Step = (context, clique) => {
  const isReleasing = currentGang(context, clique)?.isInitialized === true;
  if (!isReleasing || !isBaseOpen(context, clique)) return idle;
  if (missingPodGroup(context, clique) !== undefined) return idle;
  const listed = ownGroup(context, clique)?.pods;
  const free = livePods(context, clique).filter(
    (pod) => hasOurGate(pod) && listed?.has(pod.name) === true,
  );
  const reason =
    clique.baseGang === undefined
      ? 'its PodGang lists it'
      : `its PodGang lists it and PodGang ${clique.baseGang} is scheduled`;
  return { intents: free.map((pod) => removeGate(pod, reason)), changes: {} };
};

function removeGate(pod: ObservedPod, reason: string): Intent {
  const { gates, resourceVersion } = pod;
  const schedulingGates = gates.filter((gate) => gate['name'] !== podGate);
  const more = { urgency: 'first', resourceVersion } as const;
  return patchOf(pod, reason, { spec: { schedulingGates } }, more);
}

/**
 * A pod of ours that lost a label gets it back: that by which all pods of ours are watched also
 * where it is going, since nobody else would tell of what becomes of it; that of its gang where the
 * PodGang lists it, as it counts for nobody without.
 */
export const restoreLabel: Step = (context, clique) => ({
  intents: ownPods(context, clique).flatMap((pod) => {
    const labels = lostLabels(context, clique, pod);
    if (labels.length === 0) return [];
    const reason = `it lost the label ${labels.map(([name]) => name).join(' and ')}`;
    const metadata = { labels: Object.fromEntries(labels) };
    // It may take the place of the removal of a gate.
    return [patchOf(pod, reason, { metadata }, { urgency: 'first' })];
  }),
  changes: {},
});

function lostLabels(
  context: CliqueContext,
  clique: ObservedClique,
  pod: ObservedPod,
): readonly (readonly [string, string])[] {
  const { gang } = clique;
  const isListed = (): boolean => ownGroup(context, clique)?.pods.has(pod.name) === true;
  const lacksLabel = gang !== undefined && pod.gang !== gang && !pod.deleting && isListed();
  return [
    ...(pod.isMarked ? [] : [[label.managedBy, managedBy] as const]),
    ...(lacksLabel ? [[label.podGang, gang] as const] : []),
  ];
}
