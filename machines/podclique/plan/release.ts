// Phase: our gate is taken from pods that still carry it, once their gang lists them and need not
// wait for another. Gates of others stay (spec controllers 3.4, rule 22).
import { podGate } from '../../grove/labels.ts';
import type { Intent } from '../../vocabulary.ts';
import { idle, livePods, ownGroup } from '../context.ts';
import type { Phase } from '../context.ts';
import { hasOurGate } from '../podfact.ts';
import type { PodFact } from '../podfact.ts';
import { isBaseOpen } from './fill.ts';

export const release: Phase = (context, clique) => {
  if (!isBaseOpen(clique)) return idle;
  const listed = ownGroup(context, clique)?.pods;
  const free = livePods(context, clique).filter(
    (pod) => hasOurGate(pod) && listed?.has(pod.name) === true,
  );
  return { intents: free.map(removeGate), changes: {} };
};

const removeGate = (pod: PodFact): Intent => ({
  type: 'patchObject',
  ref: { kind: 'Pod', namespace: pod.namespace, name: pod.name },
  reason: 'its PodGang lists it',
  patch: {
    spec: { schedulingGates: pod.gates.filter((gate) => gate['name'] !== podGate) },
  },
  uid: pod.uid,
  resourceVersion: pod.resourceVersion,
});
