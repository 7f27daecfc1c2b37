// Pods that are on their way out for as long as somebody else holds them. Their PodClique must do
// without them: they count for nothing, and nothing waits for them.
import type { Store } from '#src/devcluster/api/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { at, listAt, textAt, uidOf } from './dig.ts';
import { namespace } from './workload.ts';

/** False where the PodClique itself goes: that waits for its pods, and may. */
export function isHeldPod(store: Store, object: Stored): boolean {
  if (object['kind'] !== 'Pod' || !isGoing(object)) return false;
  if (!listAt(object, 'metadata', 'finalizers').includes('foreign/hold')) return false;
  const [owner] = listAt(object, 'metadata', 'ownerReferences');
  const clique = store.collection('grove.io/podcliques').get(namespace, textAt(owner, 'name'));
  if (clique === undefined || uidOf(clique) !== textAt(owner, 'uid')) return false;
  const set = textAt(listAt(clique, 'metadata', 'ownerReferences')[0], 'name');
  const root = store.collection('grove.io/podcliquesets').get(namespace, set);
  return root !== undefined && !isGoing(clique) && !isGoing(root);
}

const isGoing = (object: Stored): boolean =>
  at(object, 'metadata', 'deletionTimestamp') !== undefined;
