// The objects that a Kubernetes cluster has from its first second. cluster.ts creates them through
// the API like everybody else's objects.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { systemNamespaces } from './api/verbs/namespaces.ts';

interface Initial {
  readonly path: string;
  readonly body: JsonObject;
}

const namespace = (name: string): Initial => ({
  path: '/api/v1/namespaces',
  body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
});

const priorityClass = (name: string, value: number, description: string): Initial => ({
  path: '/apis/scheduling.k8s.io/v1/priorityclasses',
  body: {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    value,
    description,
  },
});

const initial: readonly Initial[] = [
  ...systemNamespaces.map(namespace),
  priorityClass('system-node-critical', 2_000_001_000, 'For pods that a node cannot work without.'),
  priorityClass('system-cluster-critical', 2_000_000_000, 'For pods that the cluster needs.'),
];

/** Creates what is missing; throws when the server refuses one of them. */
export async function bootstrap(transport: KubeTransport): Promise<void> {
  for (const { path, body } of initial) {
    const { status, body: answer } = await transport.request({ method: 'POST', path, body });
    if (status !== 201 && status !== 409) {
      throw new Error(`could not create the initial object at ${path}: ${JSON.stringify(answer)}`);
    }
  }
}
