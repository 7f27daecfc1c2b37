// Our gate is taken from pods that still carry it, once their gang is initialized, lists
// them, need not wait for another, and has the PodGroup that their scheduler needs. Gates of others
// stay (spec controllers 3.4, 10.1 rule 22, 10.2 gap 16).
import type { Intent } from '../../../contract/intents.ts';
import { idle } from '../../../statechart/step.ts';
import { podGate } from '../../objects/labels.ts';
import { hasOurGate } from '../../objects/pod.ts';
import type { ObservedPod } from '../../objects/pod.ts';
import { currentGang, isBaseOpen, livePods, missingPodGroup, ownGroup } from '../context.ts';
import type { Step } from '../context.ts';

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

const removeGate = (pod: ObservedPod, reason: string): Intent => ({
  type: 'patchObject',
  ref: { kind: 'Pod', namespace: pod.namespace, name: pod.name },
  reason,
  urgency: 'first',
  patch: {
    spec: { schedulingGates: pod.gates.filter((gate) => gate['name'] !== podGate) },
  },
  uid: pod.uid,
  resourceVersion: pod.resourceVersion,
});
