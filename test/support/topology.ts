// A PodCliqueSet with topology constraints at all three levels, the binding that they name, and a
// world in which they are passed on.
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { cliqueTemplate } from './samples.ts';
import { World } from './world.ts';
import type { WorldOptions } from './world.ts';

export const zone = { domain: 'zone', key: 'topology.kubernetes.io/zone' };
export const rack = { domain: 'rack', key: 'example.com/rack' };
export const host = { domain: 'host', key: 'kubernetes.io/hostname' };

export const fabricRef = {
  kind: 'ClusterTopologyBinding',
  namespace: '',
  name: 'fabric',
} as const;

export const fabric = (levels: readonly object[] = [zone, rack, host]): KubeObject => ({
  apiVersion: 'grove.io/v1alpha1',
  kind: 'ClusterTopologyBinding',
  metadata: { name: 'fabric' },
  spec: { levels },
});

/** `topologyConstraint` of each part; absent: none. */
export interface Constraints {
  readonly set?: JsonObject;
  readonly group?: JsonObject;
  /** Of the second group, which has none by itself. */
  readonly otherGroup?: JsonObject;
  readonly worker?: JsonObject;
  readonly leader?: JsonObject;
}

export const everywhere: Constraints = {
  set: { topologyName: 'fabric', pack: { required: 'zone' } },
  group: { pack: { required: 'rack', preferred: 'host' } },
  worker: { packDomain: 'rack' },
  leader: { pack: { preferred: 'host' } },
};

const constrained = (constraint: JsonObject | undefined): JsonObject =>
  constraint === undefined ? {} : { topologyConstraint: constraint };

/**
 * `demo/demo`: clique `worker`; group `engine` of `leader` and `hand`, three replicas, two of them
 * in the base gang; group `side` of `aide`, two replicas, one of them in the base gang.
 */
export const placedSet = (
  { set, group, otherGroup, worker, leader }: Constraints = everywhere,
  replicas = 1,
): KubeObject => ({
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  metadata: { name: 'demo', namespace: 'demo' },
  spec: {
    replicas,
    template: {
      ...constrained(set),
      cliques: [
        {
          ...cliqueTemplate({ name: 'worker' }),
          annotations: { note: 'x', 'grove.io/topology-name': 'mine' },
          ...constrained(worker),
        },
        { ...cliqueTemplate({ name: 'leader', replicas: 1 }), ...constrained(leader) },
        cliqueTemplate({ name: 'hand', minAvailable: 1 }),
        cliqueTemplate({ name: 'aide', replicas: 1 }),
      ],
      podCliqueScalingGroups: [
        {
          name: 'engine',
          cliqueNames: ['leader', 'hand'],
          replicas: 3,
          minAvailable: 2,
          ...constrained(group),
        },
        {
          name: 'side',
          cliqueNames: ['aide'],
          replicas: 2,
          minAvailable: 1,
          ...constrained(otherGroup),
        },
      ],
    },
  },
});

export const aware: WorldOptions = { settings: { isTopologyAware: true } };

export function deployed(objects: readonly KubeObject[], options = aware): World {
  const world = new World(options);
  for (const one of objects) world.create(one);
  world.converge();
  return world;
}
