// What the types of `coppice/client` accept and refuse: `npm run check` compiles this file, and
// where a line stops being an error its `@ts-expect-error` is one. The objects are sent by
// client.test.ts beside it.
import type {
  ClusterTopologyBinding,
  Kinds,
  PodCliqueSet,
  PodSpec,
  SandboxWarmPool,
} from 'coppice/client';

const podSpec: PodSpec = {
  containers: [
    {
      name: 'main',
      image: 'example.org/main:1',
      resources: { requests: { cpu: 1, memory: '1Gi' } },
      env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    },
  ],
};

export const set: PodCliqueSet = {
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  metadata: { name: 'demo', namespace: 'default', labels: { team: 'blue' } },
  spec: {
    replicas: 2,
    template: { cliques: [{ name: 'worker', spec: { roleName: 'worker', replicas: 2, podSpec } }] },
  },
};

export const binding: ClusterTopologyBinding = {
  apiVersion: 'grove.io/v1alpha1',
  kind: 'ClusterTopologyBinding',
  metadata: { name: 'racks' },
  spec: { levels: [{ domain: 'rack', key: 'example.org/rack' }] },
};

export const pool: SandboxWarmPool = {
  apiVersion: 'extensions.agents.x-k8s.io/v1beta1',
  kind: 'SandboxWarmPool',
  metadata: { name: 'pool', namespace: 'default' },
  spec: { sandboxTemplateRef: { name: 'template' } },
};

/** Each line is refused for one reason. */
export const refused: readonly unknown[] = [
  // @ts-expect-error: a version that is not served
  { ...set, apiVersion: 'grove.io/v1' } satisfies PodCliqueSet,
  // @ts-expect-error: the kind of another
  { ...set, kind: 'PodClique' } satisfies PodCliqueSet,
  // @ts-expect-error: no template
  { ...set, spec: { replicas: 2 } } satisfies PodCliqueSet,
  // @ts-expect-error: a number as a text
  { ...set, spec: { ...set.spec, replicas: '2' } } satisfies PodCliqueSet,
  // @ts-expect-error: a field that is not there
  { ...set, spec: { ...set.spec, replicaCount: 2 } } satisfies PodCliqueSet,
  // @ts-expect-error: no value of this enum
  { ...set, spec: { ...set.spec, updateStrategy: { type: 'Recreate' } } } satisfies PodCliqueSet,
  // @ts-expect-error: a container without a name
  { containers: [{ image: 'example.org/main:1' }] } satisfies PodSpec,
  // @ts-expect-error: a kind that is not there
  'Deployment' satisfies keyof Kinds,
];
