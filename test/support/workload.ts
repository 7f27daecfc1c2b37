// What a user does in tests against a cluster: make, change and delete PodCliqueSets and
// namespaces. Throws where the API server refuses.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { KubeRequest, KubeTransport } from '#src/kube/transport/transport.ts';
import { type CliqueOptions, cliqueTemplate } from './samples.ts';

export const setsIn = (namespace: string): string =>
  `/apis/grove.io/v1alpha1/namespaces/${namespace}/podcliquesets`;

/** The body of a successful answer. */
export async function must(client: KubeTransport, request: KubeRequest): Promise<unknown> {
  const { status, body } = await client.request(request);
  if (status < 300) return body;
  throw new Error(`${request.method} ${request.path}: ${status} ${JSON.stringify(body)}`);
}

export const get = (client: KubeTransport, path: string): Promise<unknown> =>
  must(client, { method: 'GET', path });

export const createNamespace = (client: KubeTransport, name: string): Promise<unknown> =>
  must(client, {
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
  });

interface SetOptions {
  readonly name: string;
  readonly replicas: number;
  readonly cliques?: readonly CliqueOptions[];
}

/** By default one clique `worker` of two pods. */
export const setBody = ({
  name,
  replicas,
  cliques = [{ name: 'worker' }],
}: SetOptions): JsonObject => ({
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  metadata: { name },
  spec: { replicas, template: { cliques: cliques.map(cliqueTemplate) } },
});

export const createSet = (
  client: KubeTransport,
  namespace: string,
  options: SetOptions,
): Promise<unknown> =>
  must(client, { method: 'POST', path: setsIn(namespace), body: setBody(options) });

export const patchSet = (
  client: KubeTransport,
  namespace: string,
  name: string,
  body: JsonObject,
): Promise<unknown> =>
  must(client, {
    method: 'PATCH',
    path: `${setsIn(namespace)}/${name}`,
    contentType: 'application/merge-patch+json',
    body,
  });

export const deleteSet = (
  client: KubeTransport,
  namespace: string,
  name: string,
): Promise<unknown> => must(client, { method: 'DELETE', path: `${setsIn(namespace)}/${name}` });
