// The object under load: one PodCliqueSet with N replicas of one clique of two pods, as Grove's own
// scale test has it.
import { at, list } from '#machines/kubernetes/json.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { eventually } from '#test/support/eventually.ts';
import { createNamespace, must } from '#test/support/workload.ts';
import type { Claim } from './observer/claims.ts';

export const namespace = 'bench';
const usual = 'scale';
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

const set = (name: string, replicas: number): unknown => ({
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

/** A namespace with the service account without which no pod is admitted. */
export async function openNamespace(client: KubeTransport, own: string): Promise<void> {
  await createNamespace(client, own);
  const ask = { method: 'GET', path: `/api/v1/namespaces/${own}/serviceaccounts` } as const;
  await eventually(
    `a service account in ${own}`,
    () => client.request(ask),
    (reply) => list(at(reply.body, 'items')).length > 0,
  );
}

/** Exactly the objects of so many replicas, all pods ready. */
export const settledAt = (replicas: number): Claim => ({
  podsAlive: { is: replicas * podsPerReplica },
  podsReady: { is: replicas * podsPerReplica },
  podcliquesAlive: { is: replicas },
  podgangsAlive: { is: replicas },
  servicesAlive: { is: replicas },
});

export const deploy = (client: KubeTransport, replicas: number, name = usual): Promise<unknown> =>
  must(client, { method: 'POST', path, body: set(name, replicas) });

const patch = (client: KubeTransport, body: unknown): Promise<unknown> =>
  must(client, {
    method: 'PATCH',
    path: `${path}/${usual}`,
    contentType: 'application/merge-patch+json',
    body,
  });

export const scale = (client: KubeTransport, replicas: number): Promise<unknown> =>
  patch(client, { spec: { replicas } });

/** Changes an annotation that makes Grove reconcile everything (spec controllers 1.1.1). */
export const touch = (client: KubeTransport): Promise<unknown> =>
  patch(client, {
    metadata: { annotations: { 'grove.io/reconcile-trigger': String(performance.now()) } },
  });

export const remove = (client: KubeTransport, name = usual): Promise<unknown> =>
  must(client, {
    method: 'DELETE',
    path: `${path}/${name}`,
    body: { propagationPolicy: 'Background' },
  });
