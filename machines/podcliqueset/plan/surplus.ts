// Phase of a replica at or above spec.replicas: everything of it is deleted, by its index and
// whatever the counts say (spec controllers 10.2 gaps 8 and 10).
import type { DeleteObject } from '../../vocabulary.ts';
import { childrenOf, living } from '../context.ts';
import type { Child, Replica } from '../context.ts';
import type { SetFact } from '../facts.ts';

export function removeReplica(
  set: SetFact,
  index: number,
  replica: Replica,
): readonly DeleteObject[] {
  const reason = `replica ${index} is not wanted: spec.replicas is ${set.replicas}`;
  return childrenToDelete(set, replica).map((child) => removal(child, reason));
}

/** What this very set controls of a replica and is not terminating yet. */
export const childrenToDelete = (set: SetFact, replica: Replica): readonly Child[] =>
  childrenOf(replica).filter((child) => living(child, set) !== undefined);

export const removal = (child: Child, reason: string): DeleteObject => ({
  type: 'deleteObject',
  ref: { kind: child.kind, namespace: child.namespace, name: child.name },
  reason,
  uid: child.uid,
});
