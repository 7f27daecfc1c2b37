// The foreign writer: changes an object a moment before a write of the controller's reaches it, so
// that preconditions on its version fail and nothing else does. Called by the faulty transport.
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { KubeRequest, KubeTransport } from '#src/kube/transport/transport.ts';
import { at } from '../fields.ts';

export async function interfere(
  store: Store,
  client: KubeTransport,
  { method, path }: KubeRequest,
): Promise<void> {
  const [bare = ''] = path.split('?', 1);
  if (method === 'POST' || bare.includes('/events')) return;
  const object = bare.replace(/\/(status|scale)$/, '');
  const parts = object.split('/');
  const [name = '', plural = ''] = parts.toReversed();
  const group = parts[1] === 'apis' ? (parts[2] ?? '') : '';
  const namespace = parts[parts.length - 3] ?? '';
  const live = store.collection(`${group}/${plural}`).get(namespace, name);
  if (live === undefined) return;
  const count = Number(at(live, 'metadata', 'annotations', 'foreign/mark') ?? 0) + 1;
  await client.request({
    method: 'PATCH',
    path: object,
    contentType: 'application/merge-patch+json',
    body: { metadata: { annotations: { 'foreign/mark': String(count) } } },
  });
}
