// What others still have in their hands when all faults are healed: pods on their way out that
// somebody holds, and names that somebody took. Everything else must come to its end without
// waiting for them; they are let go later, and then the rest must follow.
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { at, labelsOf, listAt, textAt, uidOf } from '../fields.ts';
import { namespace } from '../users/workload.ts';

/** A pod on its way out that somebody holds, and that nothing has to wait for. */
export const isHeldPod = (store: Store, object: Stored): boolean =>
  isHeld(object) && (isOutlived(store, object) || isLeftByItsClique(store, object));

/** Held, and its PodClique is no more: another one of the name has to do as if it was not there. */
export const isOutlivingPod = (store: Store, object: Stored): boolean =>
  isHeld(object) && isOutlived(store, object);

const isHeld = (object: Stored): boolean =>
  object['kind'] === 'Pod' &&
  isGoing(object) &&
  listAt(object, 'metadata', 'finalizers').includes('foreign/hold');

function isOutlived(store: Store, pod: Stored): boolean {
  const owner = ownerOf(pod);
  return textAt(owner, 'uid') !== '' && uidOf(cliqueOf(store, owner)) !== textAt(owner, 'uid');
}

/** False where the PodClique itself goes: that waits for its pods, and may. */
function isLeftByItsClique(store: Store, pod: Stored): boolean {
  const clique = cliqueOf(store, ownerOf(pod));
  if (clique === undefined) return false;
  const set = labelsOf(clique)['app.kubernetes.io/part-of'] ?? '';
  const root = store.collection('grove.io/podcliquesets').get(namespace, set);
  return root !== undefined && !isGoing(clique) && !isGoing(root);
}

const ownerOf = (pod: Stored): unknown => listAt(pod, 'metadata', 'ownerReferences')[0];

const cliqueOf = (store: Store, owner: unknown): Stored | undefined =>
  store.collection('grove.io/podcliques').get(namespace, textAt(owner, 'name'));

/** An object of somebody else's, under a name that the controller may want. */
export const isTaken = (object: Stored): boolean =>
  at(object, 'metadata', 'annotations', 'foreign/own') !== undefined;

/** The label that says whose an object is, and by which it is watched. */
export const managedBy = 'app.kubernetes.io/managed-by';

/** Says that the user took that label off, once at least. */
export const disowned = 'foreign/disowned';

export const isDisowned = (object: Stored): boolean =>
  at(object, 'metadata', 'annotations', disowned) !== undefined;

/** The garbage collector took our owner off when it went, and left those of others. */
export const isLeftToOthers = (object: Stored): boolean => {
  const owners = listAt(object, 'metadata', 'ownerReferences');
  return owners.length > 0 && owners.every((owner) => textAt(owner, 'name') === strangersOwner);
};

/** An owner of theirs, which others add to any object (strangers.ts). */
export const strangersOwner = 'foreign-owner';

export const hasPending = (store: Store): boolean =>
  store.collection('/services').list(namespace).some(isTaken) ||
  store
    .collection('/pods')
    .list(namespace)
    .some((pod) => isHeldPod(store, pod));

const isGoing = (object: Stored): boolean =>
  at(object, 'metadata', 'deletionTimestamp') !== undefined;
