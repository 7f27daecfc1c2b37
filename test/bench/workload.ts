// The object under load: one PodCliqueSet with N replicas of one clique of two pods, as Grove's own
// scale test has it.
import { at, list } from '#machines/kubernetes/json.ts';
import { traceContextAnnotation } from '#machines/kubernetes/trace-context.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { eventually } from '#test/support/eventually.ts';
import { createNamespace, must } from '#test/support/workload.ts';
import { type Claim, updatedImage } from './observer/claims.ts';

export const namespace = 'bench';
const usual = 'scale';
export const podsPerReplica = 2;

const path = `/apis/grove.io/v1alpha1/namespaces/${namespace}/podcliquesets`;

/** Tolerates the taint of the simulated nodes. */
const podSpecOf = (image: string) => ({
  tolerations: [
    { key: 'node_role.e2e.grove.nvidia.com', operator: 'Exists', effect: 'NoSchedule' },
  ],
  containers: [{ name: 'main', image, resources: { requests: { cpu: '10m' } } }],
});
export const podSpec = podSpecOf('registry.example/none:1');
/** Of the template to which an update goes. */
export const updatedPodSpec = podSpecOf(updatedImage);

const templateOf = (pods: typeof podSpec) => ({
  cliques: [
    {
      name: 'w',
      spec: {
        roleName: 'w',
        replicas: podsPerReplica,
        minAvailable: podsPerReplica,
        podSpec: pods,
      },
    },
  ],
});

const set = (name: string, replicas: number, annotations = {}): unknown => ({
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  metadata: { name, namespace, annotations },
  spec: { replicas, template: templateOf(podSpec) },
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

/** A rolling update of so many replicas is over: the set says so, and no pod of before is left. */
export const updatedAt = (replicas: number): Claim => ({
  ...settledAt(replicas),
  podsUpdated: { is: replicas * podsPerReplica },
  replicasUpdated: { is: replicas },
  setsUpdated: { is: 1 },
});

/** The user's change of the template, as a merge patch of the PodCliqueSet. */
export const newTemplate = { spec: { template: templateOf(updatedPodSpec) } };

export const deploy = (client: KubeTransport, replicas: number, name = usual): Promise<unknown> =>
  must(client, { method: 'POST', path, body: set(name, replicas) });

/** Replicas in sets of their own, each in a trace of its client, who has sampled the first few. */
export interface Split {
  readonly sets: number;
  readonly sampled: number;
}

const splitNames = ({ sets }: Split): readonly string[] =>
  Array.from({ length: sets }, (_, index) => `${usual}-${index}`);

export const deploySplit = (
  client: KubeTransport,
  replicas: number,
  split: Split,
): Promise<unknown> =>
  Promise.all(
    splitNames(split).map((name, index) => {
      const part = Math.floor((replicas + index) / split.sets);
      const annotations = { [traceContextAnnotation]: clientTrace(index, index < split.sampled) };
      return must(client, { method: 'POST', path, body: set(name, part, annotations) });
    }),
  );

function clientTrace(index: number, isSampled: boolean): string {
  const id = (digits: number): string => (index + 1).toString(16).padStart(digits, '0');
  return JSON.stringify({ traceparent: `00-${id(32)}-${id(16)}-${isSampled ? '01' : '00'}` });
}

const patch = (client: KubeTransport, body: unknown): Promise<unknown> =>
  must(client, {
    method: 'PATCH',
    path: `${path}/${usual}`,
    contentType: 'application/merge-patch+json',
    body,
  });

export const scale = (client: KubeTransport, replicas: number): Promise<unknown> =>
  patch(client, { spec: { replicas } });

/** Another image: all pods are replaced. */
export const update = (client: KubeTransport): Promise<unknown> => patch(client, newTemplate);

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

export const removeSplit = (client: KubeTransport, split: Split): Promise<unknown> =>
  Promise.all(splitNames(split).map((name) => remove(client, name)));
