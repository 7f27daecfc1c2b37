// Of a replica at or above spec.replicas: everything of it is deleted, by its index and
// whatever the counts say (spec controllers 10.2 gaps 8, 10 and 11).
import { isHeld, letGo } from '../../grove/finalizer.ts';
import type { DeleteObject, Intent } from '../../vocabulary.ts';
import { childrenOf, living } from '../context.ts';
import type { Child, Replica } from '../context.ts';
import type { SetFact } from '../facts.ts';

export function removeReplica(set: SetFact, index: number, replica: Replica): readonly Intent[] {
  const reason = `replica ${index} is not wanted: spec.replicas is ${set.replicas}`;
  return childrenToDelete(set, replica).map((child) => departure(child, reason));
}

/** What this very set controls of a replica and is not terminating yet, or only because of us. */
export const childrenToDelete = (set: SetFact, replica: Replica): readonly Child[] =>
  childrenOf(replica).filter((child) => living(child, set) !== undefined || isHeldBack(child));

const isHeldBack = (child: Child): boolean =>
  child.kind === 'ComputeDomain' && child.deleting && isHeld(child);

/** The next step on the way out: of a ComputeDomain our finalizer is taken off first. */
export function departure(child: Child, reason: string): Intent {
  const [first] = child.kind === 'ComputeDomain' ? letGo(child) : [];
  return first ?? removal(child, reason);
}

export const removal = (child: Child, reason: string): DeleteObject => ({
  type: 'deleteObject',
  ref: { kind: child.kind, namespace: child.namespace, name: child.name },
  reason,
  uid: child.uid,
});
