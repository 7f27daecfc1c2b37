// Phase: our finalizer is on a PodClique that lives and off one that is being deleted. Foreign
// finalizers stay. The pods are garbage-collected through their owner (spec controllers 1.3.2).
import { finalizer } from '../../grove/labels.ts';
import type { Intent } from '../../vocabulary.ts';
import { idle } from '../context.ts';
import type { Phase } from '../context.ts';
import type { CliqueFact } from '../facts.ts';

export const keepFinalizer: Phase = (_context, clique) => {
  const has = clique.finalizers.includes(finalizer.clique);
  if (has !== clique.deleting) return idle;
  const finalizers = clique.deleting
    ? clique.finalizers.filter((name) => name !== finalizer.clique)
    : [...clique.finalizers, finalizer.clique];
  const reason = clique.deleting ? 'let the PodClique go' : 'add the finalizer';
  return { intents: [patchFinalizers(clique, finalizers, reason)], changes: {} };
};

const patchFinalizers = (
  clique: CliqueFact,
  finalizers: readonly string[],
  reason: string,
): Intent => ({
  type: 'patchObject',
  ref: { kind: 'PodClique', namespace: clique.namespace, name: clique.name },
  reason,
  patch: { metadata: { finalizers: [...finalizers] } },
  uid: clique.uid,
  resourceVersion: clique.resourceVersion,
});
