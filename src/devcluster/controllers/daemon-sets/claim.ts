// Which pods belong to a DaemonSet: its own that its selector still chooses. One that it no longer
// chooses is let go, and one without an owner that it chooses is taken over.
import { isTrue, objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { isOk, isTerminating, nameOf, namespaceOf, orRetryLater, uidOf } from '../client.ts';
import type { KubeClient } from '../client.ts';
import { isSelected, ownerReferenceTo } from './pods.ts';

/** The owner that is in charge of a pod. */
export const managerOf = (pod: Stored): JsonObject | undefined =>
  objectsAt(pod.metadata, 'ownerReferences').find((each) => isTrue(each, 'controller'));

/** Of the pods of its namespace. Throws RetryLater. */
export async function claimPods(
  client: KubeClient,
  set: Stored,
  pods: readonly Stored[],
): Promise<Stored[]> {
  const claimed: Stored[] = [];
  for (const pod of pods) {
    const manager = managerOf(pod);
    const isOwn = manager !== undefined && textAt(manager, 'uid') === uidOf(set);
    if (manager !== undefined && !isOwn) continue;
    const isWanted = isSelected(set, pod);
    if (isOwn && isWanted) claimed.push(pod);
    else if (isOwn) await setOwner(client, pod, { $patch: 'delete', uid: uidOf(set) });
    else if (isWanted && !isTerminating(pod) && (await adopt(client, set, pod))) claimed.push(pod);
  }
  return claimed;
}

/** The cache may be behind: a set that is going, or gone, takes nothing over. */
async function adopt(client: KubeClient, set: Stored, pod: Stored): Promise<boolean> {
  const path = `/apis/apps/v1/namespaces/${namespaceOf(set)}/daemonsets/${nameOf(set)}`;
  const answer = orRetryLater('daemon set', await client.get(path));
  const metadata = objectAt(answer.body, 'metadata') ?? {};
  if (!isOk(answer) || textAt(metadata, 'uid') !== uidOf(set)) return false;
  if (textAt(metadata, 'deletionTimestamp') !== '') return false;
  return setOwner(client, pod, ownerReferenceTo(set));
}

/** False where the pod is gone or has another owner by now. */
async function setOwner(client: KubeClient, pod: Stored, reference: JsonObject): Promise<boolean> {
  const path = `/api/v1/namespaces/${namespaceOf(pod)}/pods/${nameOf(pod)}`;
  const metadata = { uid: uidOf(pod), ownerReferences: [reference] };
  return isOk(orRetryLater('owner of a pod', await client.strategicPatch(path, { metadata })));
}
