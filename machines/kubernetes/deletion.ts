// What a user asked for with a deletion. Kubernetes keeps the propagation policy as a finalizer on
// the object, which the garbage collector takes off when its part is done. Read by the actors whose
// object is being deleted, which delete the children themselves (decision 0009).
import type { Meta } from './meta.ts';

/** The children are to stay: the garbage collector cuts their ties. */
export const isOrphaning = (meta: Pick<Meta, 'deleting' | 'finalizers'>): boolean =>
  meta.deleting && meta.finalizers.includes('orphan');

/** The object is to go after its children. */
export const isForeground = (meta: Pick<Meta, 'deleting' | 'finalizers'>): boolean =>
  meta.deleting && meta.finalizers.includes('foregroundDeletion');

/** What follows a sentence on an object that is to go; empty where no finalizer holds it. */
export const heldBy = ({ finalizers }: Pick<Meta, 'finalizers'>): string =>
  finalizers.length > 0 ? `, held by ${finalizers.join(', ')}` : '';

/** Why an object that is being deleted is still there. `waited`: kind and name of children. */
export function whyThere(
  what: string,
  { finalizers }: Pick<Meta, 'finalizers'>,
  { ours, waited }: { readonly ours: string; readonly waited: readonly string[] },
): string {
  const start = `${what} is being deleted`;
  if (finalizers.includes(ours) && waited.length > 0) {
    return `${start}; it goes once the deletion of ${some(waited)} is accepted`;
  }
  const others = finalizers.filter((name) => name !== ours);
  if (others.length === 0) return `${start}; nothing is waited for`;
  return `${start}; it is held by ${others.map(sayFinalizer).join(' and by ')}`;
}

const some = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0 ? first : `${first} and ${others.length} more`;

function sayFinalizer(name: string): string {
  if (name === 'foregroundDeletion') {
    return 'foregroundDeletion (the garbage collector waits for its children)';
  }
  if (name === 'orphan') return 'orphan (the garbage collector cuts the ties of its children)';
  return `finalizer ${name} (whoever set it must take it off)`;
}
