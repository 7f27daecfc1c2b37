// What others still have in their hands when all faults are healed: pods on their way out that
// somebody holds, and names that somebody took. Everything else must come to its end without
// waiting for them; they are let go later, and then the rest must follow.
import type { Store } from '#src/devcluster/api/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { at, labelsOf, listAt, textAt, uidOf } from './dig.ts';
import { namespace } from './workload.ts';

/** False where the PodClique itself goes: that waits for its pods, and may. */
export function isHeldPod(store: Store, object: Stored): boolean {
  if (object['kind'] !== 'Pod' || !isGoing(object)) return false;
  if (!listAt(object, 'metadata', 'finalizers').includes('foreign/hold')) return false;
  const [owner] = listAt(object, 'metadata', 'ownerReferences');
  const clique = store.collection('grove.io/podcliques').get(namespace, textAt(owner, 'name'));
  if (clique === undefined || uidOf(clique) !== textAt(owner, 'uid')) return false;
  const set = labelsOf(clique)['app.kubernetes.io/part-of'] ?? '';
  const root = store.collection('grove.io/podcliquesets').get(namespace, set);
  return root !== undefined && !isGoing(clique) && !isGoing(root);
}

/** An object of somebody else's, under a name that the controller may want. */
export const isTaken = (object: Stored): boolean =>
  at(object, 'metadata', 'annotations', 'foreign/own') !== undefined;

export const hasPending = (store: Store): boolean =>
  store.collection('/services').list(namespace).some(isTaken) ||
  store
    .collection('/pods')
    .list(namespace)
    .some((pod) => isHeldPod(store, pod));

const isGoing = (object: Stored): boolean =>
  at(object, 'metadata', 'deletionTimestamp') !== undefined;
