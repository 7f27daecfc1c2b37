// Phase: our finalizer is on a PodCliqueSet that lives and off one that is being deleted. Nothing
// else is deleted by hand: garbage collection is quicker than waiting for children (spec
// controllers 1.1.3, rule 53).
import { finalizer } from '../../grove/labels.ts';
import type { Intent } from '../../vocabulary.ts';
import type { SetFact } from '../facts.ts';

export function keepFinalizer(set: SetFact): readonly Intent[] {
  const has = set.finalizers.includes(finalizer.set);
  if (has !== set.deleting) return [];
  const finalizers = set.deleting
    ? set.finalizers.filter((name) => name !== finalizer.set)
    : [...set.finalizers, finalizer.set];
  return [
    {
      type: 'patchObject',
      ref: { kind: 'PodCliqueSet', namespace: set.namespace, name: set.name },
      reason: set.deleting ? 'let the PodCliqueSet go' : 'add the finalizer',
      patch: { metadata: { finalizers } },
      uid: set.uid,
      resourceVersion: set.resourceVersion,
    },
  ];
}
