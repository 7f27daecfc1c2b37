// The object under load: one PodCliqueSet with N replicas of one clique of two pods, as Grove's own
// scale test has it.
import type { KubeTransport } from '#src/kube/transport.ts';

export const namespace = 'default';
export const name = 'scale';
export const podsPerReplica = 2;

const path = `/apis/grove.io/v1alpha1/namespaces/${namespace}/podcliquesets`;

/** Tolerates the taint of the simulated nodes. */
export const podSpec = {
  tolerations: [
    { key: 'node_role.e2e.grove.nvidia.com', operator: 'Exists', effect: 'NoSchedule' },
  ],
  containers: [
    { name: 'main', image: 'registry.example/none:1', resources: { requests: { cpu: '10m' } } },
  ],
};

const set = (replicas: number): unknown => ({
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  metadata: { name, namespace },
  spec: {
    replicas,
    template: {
      cliques: [
        {
          name: 'w',
          spec: {
            roleName: 'w',
            replicas: podsPerReplica,
            minAvailable: podsPerReplica,
            podSpec,
          },
        },
      ],
    },
  },
});

async function must(
  client: KubeTransport,
  request: Parameters<KubeTransport['request']>[0],
): Promise<void> {
  const reply = await client.request(request);
  if (reply.status >= 300) {
    throw new Error(
      `${request.method} ${request.path}: ${reply.status} ${JSON.stringify(reply.body)}`,
    );
  }
}

export const deploy = (client: KubeTransport, replicas: number): Promise<void> =>
  must(client, { method: 'POST', path, body: set(replicas) });

const patch = (client: KubeTransport, body: unknown): Promise<void> =>
  must(client, {
    method: 'PATCH',
    path: `${path}/${name}`,
    contentType: 'application/merge-patch+json',
    body,
  });

export const scale = (client: KubeTransport, replicas: number): Promise<void> =>
  patch(client, { spec: { replicas } });

/** Changes an annotation that makes Grove reconcile everything (spec controllers 1.1.1). */
export const touch = (client: KubeTransport): Promise<void> =>
  patch(client, {
    metadata: { annotations: { 'grove.io/reconcile-trigger': String(performance.now()) } },
  });

export const remove = (client: KubeTransport): Promise<void> =>
  must(client, {
    method: 'DELETE',
    path: `${path}/${name}`,
    body: { propagationPolicy: 'Background' },
  });
