// Phase: our finalizer is on a PodClique that lives, so that its actor sees its deletion and can
// delete the pods (drain.ts). Finalizers of others stay.
import { finalizer } from '../../grove/labels.ts';
import type { Intent } from '../../vocabulary.ts';
import { idle } from '../context.ts';
import type { Phase } from '../context.ts';
import type { CliqueFact } from '../facts.ts';

export const keepFinalizer: Phase = (_context, clique) => {
  if (clique.finalizers.includes(finalizer.clique)) return idle;
  const finalizers = [...clique.finalizers, finalizer.clique];
  return { intents: [patchFinalizers(clique, finalizers, 'add the finalizer')], changes: {} };
};

export const patchFinalizers = (
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
