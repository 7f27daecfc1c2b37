// Phase of a replica at or above spec.replicas: everything of it is deleted, by its index and
// whatever the counts say (spec controllers 10.2 gaps 8 and 10).
import type { Meta } from '../../meta.ts';
import { isOwnedBy } from '../../meta.ts';
import type { Intent } from '../../vocabulary.ts';
import type { Replica } from '../context.ts';
import type { SetFact } from '../facts.ts';

export function removeReplica(set: SetFact, index: number, replica: Replica): readonly Intent[] {
  const children = [...replica.cliques.values(), replica.gang, replica.service];
  return children
    .filter((child) => child !== undefined)
    .filter((child) => isOwnedBy(child, 'PodCliqueSet', set.uid) && !child.deleting)
    .map((child) => removal(set, index, child));
}

const removal = (
  set: SetFact,
  index: number,
  child: Meta & { readonly kind: 'PodClique' | 'PodGang' | 'Service' },
): Intent => ({
  type: 'deleteObject',
  ref: { kind: child.kind, namespace: child.namespace, name: child.name },
  reason: `replica ${index} is not wanted: spec.replicas is ${set.replicas}`,
  uid: child.uid,
});
