// PodCliques and PodGangs as a PodCliqueSet makes them, without that set, in the little world: for
// tests of what the two do together.
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { World } from '#test/support/world.ts';
import type { WorldOptions } from '#test/support/world.ts';

const owner = (kind: string, name: string) => [
  { apiVersion: 'grove.io/v1alpha1', kind, name, uid: `${kind}-uid`, controller: true },
];

export const clique = (
  name: string,
  replicas: number,
  labels: Record<string, string>,
): KubeObject => ({
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodClique',
  metadata: {
    name,
    namespace: 'demo',
    labels: {
      'app.kubernetes.io/part-of': 'demo',
      'grove.io/podcliqueset-replica-index': '0',
      ...labels,
    },
    finalizers: ['grove.io/podclique.grove.io'],
    ownerReferences:
      labels['grove.io/podcliquescalinggroup'] === undefined
        ? owner('PodCliqueSet', 'demo')
        : owner('PodCliqueScalingGroup', 'demo-0-x'),
  },
  spec: { roleName: name, replicas, minAvailable: 1, podSpec: { containers: [{ name: 'main' }] } },
});

export const gang = (name: string, groups: Record<string, number>): KubeObject => ({
  apiVersion: 'scheduler.grove.io/v1alpha1',
  kind: 'PodGang',
  metadata: {
    name,
    namespace: 'demo',
    labels: { 'app.kubernetes.io/part-of': 'demo' },
    ownerReferences: owner('PodCliqueSet', 'demo'),
  },
  spec: {
    podgroups: Object.entries(groups).map(([group, minReplicas]) => ({
      name: group,
      minReplicas,
      podReferences: [],
    })),
  },
});

export const podsOf = (world: World, name: string): readonly KubeObject[] =>
  world.all('Pod').filter((pod) => pod.metadata.labels?.['grove.io/podclique'] === name);

/** The objects are created one by one, each in a world at rest. */
export function worldOf(objects: readonly KubeObject[], options: WorldOptions = {}): World {
  const world = new World(options);
  for (const one of objects) {
    world.create(one);
    world.stabilize();
  }
  return world;
}
