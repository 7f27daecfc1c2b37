// Phase: our finalizer is on a PodCliqueSet that lives, so that its actor sees its deletion and can
// delete the children (drain.ts). Finalizers of others stay.
import { finalizer } from '../../grove/labels.ts';
import type { Intent } from '../../vocabulary.ts';
import type { SetFact } from '../facts.ts';

export function keepFinalizer(set: SetFact): readonly Intent[] {
  if (set.finalizers.includes(finalizer.set)) return [];
  return [patchFinalizers(set, [...set.finalizers, finalizer.set], 'add the finalizer')];
}

export const patchFinalizers = (
  set: SetFact,
  finalizers: readonly string[],
  reason: string,
): Intent => ({
  type: 'patchObject',
  ref: { kind: 'PodCliqueSet', namespace: set.namespace, name: set.name },
  reason,
  patch: { metadata: { finalizers: [...finalizers] } },
  uid: set.uid,
  resourceVersion: set.resourceVersion,
});
