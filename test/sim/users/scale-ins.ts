// Scale-ins inside a PodClique: caused where the other edits of a user are rare, and counted, so
// that a report can say in how many runs the controller had to choose which pods go.
import type { Random } from '#actors/ports.ts';
import type { Change } from '#src/devcluster/api/store/collection.ts';
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { at, numberAt, uidOf } from '../fields.ts';
import { isOwnedBy, nameOf } from '../oracles/complaints.ts';
import { isLive } from '../oracles/shown.ts';
import { cliques } from './addresses.ts';
import { between, namespace, pick } from './workload.ts';

/** Scales a PodClique that has all its pods in, or another one out, to be scaled in later. */
export async function scaleIn(
  store: Store,
  random: Random,
  ask: (request: KubeRequest) => Promise<unknown>,
): Promise<void> {
  const staying = store.collection('grove.io/podcliques').list(namespace).filter(isStaying);
  const full = staying.filter((one) => desiredOf(one) > 1 && liveOf(store, one) >= desiredOf(one));
  const one = pick(random, full) ?? pick(random, staying);
  if (one === undefined) return;
  const replicas = full.includes(one) ? between(random, 1, desiredOf(one) - 1) : 3;
  await ask({
    method: 'PATCH',
    path: `${cliques}/${nameOf(one)}/scale`,
    contentType: 'application/merge-patch+json',
    body: { spec: { replicas } },
  });
}

/** Calls `seen` whenever fewer pods are wanted of a PodClique than live. */
export function onScaleIn(store: Store, seen: () => void): void {
  store.collection('grove.io/podcliques').onChange(({ type, object, previous }: Change) => {
    if (type !== 'MODIFIED' || !isStaying(object)) return;
    if (desiredOf(object) < desiredOf(previous) && liveOf(store, object) > desiredOf(object))
      seen();
  });
}

const desiredOf = (clique: unknown): number => numberAt(clique, 'spec', 'replicas');

const isStaying = (clique: Stored): boolean =>
  at(clique, 'metadata', 'deletionTimestamp') === undefined;

const liveOf = (store: Store, clique: Stored): number =>
  store
    .collection('/pods')
    .list(namespace)
    .filter((pod) => isOwnedBy(pod, uidOf(clique)) && isLive(pod)).length;
