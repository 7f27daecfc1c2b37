// Binds a pod to the node that the scheduler chose for it, and tells how that went.
import { objectAt, textAt } from '#machines/kubernetes/fields.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { isOk, keyOf, nameOf, namespaceOf, RetryLater, uidOf } from '../client.ts';
import type { ControllerContext } from '../options.ts';
import type { NodeBook } from './nodes.ts';
import { podRequests } from './resources.ts';

/** The pod counts on the node from now on, unless it is `gone`. Throws RetryLater. */
export async function bindPod(
  { client, informers }: ControllerContext,
  book: NodeBook,
  pod: Stored,
  node: string,
): Promise<'bound' | 'gone'> {
  const [namespace, name, uid] = [namespaceOf(pod), nameOf(pod), uidOf(pod)];
  book.charge(uid, node, podRequests(pod));
  const answer = await client.create(`/api/v1/namespaces/${namespace}/pods/${name}/binding`, {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { namespace, name, uid },
    target: { apiVersion: 'v1', kind: 'Node', name: node },
  });
  if (isOk(answer)) return 'bound';
  // The reply may be lost and the pod bound all the same: what the cache says by now decides.
  const live = informers.at('/api/v1/pods').get(keyOf(pod));
  if (textAt(objectAt(live, 'spec'), 'nodeName') !== '' && live?.metadata['uid'] === uid) {
    return 'bound';
  }
  book.release(uid);
  if (answer.status === 404) return 'gone';
  throw new RetryLater('binding', answer);
}
