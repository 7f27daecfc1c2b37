// The nodes that KWOK plays: labels, taint and sizes as Grove's scale tests expect them, so that
// the same manifests run here and there.
import type { KubeTransport } from '#src/kube/transport/transport.ts';

const role = 'node_role.e2e.grove.nvidia.com';

/** Racks of 16 nodes, blocks of 4 racks, zones of 4 blocks. */
const node = (index: number): unknown => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: `kwok-${index}`,
    annotations: { 'kwok.x-k8s.io/node': 'fake' },
    labels: {
      type: 'kwok',
      [role]: 'agent',
      'kubernetes.io/hostname': `kwok-${index}`,
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      'topology.kubernetes.io/zone': `zone-${Math.floor(index / 256)}`,
      'kubernetes.io/block': `block-${Math.floor(index / 64)}`,
      'kubernetes.io/rack': `rack-${Math.floor(index / 16)}`,
    },
  },
  spec: { taints: [{ key: role, value: 'agent', effect: 'NoSchedule' }] },
  status: { allocatable: size, capacity: size },
});

const size = { cpu: '64', memory: '512Gi', pods: '110', 'nvidia.com/gpu': '8' };

export async function addNodes(client: KubeTransport, count: number): Promise<void> {
  const indices = Array.from({ length: count }, (_, index) => index);
  const replies = await Promise.all(
    indices.map((index) =>
      client.request({ method: 'POST', path: '/api/v1/nodes', body: node(index) }),
    ),
  );
  const refused = replies.find((reply) => reply.status !== 201);
  if (refused !== undefined) throw new Error(`a node was refused: ${JSON.stringify(refused.body)}`);
}

interface NodeList {
  readonly items?: readonly {
    readonly status?: { readonly conditions?: readonly { type: string; status: string }[] };
  }[];
}

export async function nodesReady(client: KubeTransport, count: number): Promise<boolean> {
  const { body } = await client.request({
    method: 'GET',
    path: '/api/v1/nodes?labelSelector=type%3Dkwok',
  });
  const nodes = (body as NodeList).items ?? [];
  const ready = nodes.filter(({ status }) =>
    (status?.conditions ?? []).some(
      (condition) => condition.type === 'Ready' && condition.status === 'True',
    ),
  );
  return ready.length >= count;
}

/** The controller manager is at work once it has filled the default namespace. */
export async function hasDefaultServiceAccount(client: KubeTransport): Promise<boolean> {
  const path = '/api/v1/namespaces/default/serviceaccounts/default';
  return (await client.request({ method: 'GET', path })).status === 200;
}
