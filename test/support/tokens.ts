// Bearer tokens of a cluster, as users get them.
import { at, text } from '#machines/kubernetes/json.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';

/** Of a service account of that name in `default`, which is made; its groups may everything on the
 *  embedded cluster. */
export async function tokenOf(client: KubeTransport, name: string): Promise<string> {
  const path = '/api/v1/namespaces/default/serviceaccounts';
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } };
  await client.request({ method: 'POST', path, body: account });
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const reply = await client.request({ method: 'POST', path: `${path}/${name}/token`, body });
  return text(at(reply.body, 'status', 'token'));
}
