// An object of each kind with every field that kube-state-metrics tells of, as after a long life.
import type { JsonObject } from '#machines/kubernetes/objects.ts';

export interface StateObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string> };
  /** Absent: the kind has none. */
  readonly status?: JsonObject;
}

const time = '2026-11-20T08:30:00Z';
const conditions: JsonObject[] = [
  { type: 'Ready', status: 'True', reason: 'AllReady', message: '', lastTransitionTime: time },
];
const metadata = { name: 'whole' };
const inSet = { ...metadata, labels: { 'app.kubernetes.io/part-of': 'whole' } };
const podSpec = { containers: [{ name: 'main', image: 'registry.example/none:1' }] };
const cliqueSpec = { roleName: 'worker', replicas: 2, minAvailable: 1, podSpec };
const replicas = {
  observedGeneration: 1,
  replicas: 3,
  readyReplicas: 2,
  availableReplicas: 2,
  scheduledReplicas: 3,
  scheduleGatedReplicas: 0,
  updatedReplicas: 3,
};

const counts = (...names: readonly (keyof typeof replicas)[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, replicas[name]]));

const grove: readonly StateObject[] = [
  {
    apiVersion: 'grove.io/v1alpha1',
    kind: 'PodCliqueSet',
    metadata,
    spec: { replicas: 3, template: { cliques: [{ name: 'worker', spec: cliqueSpec }] } },
    status: {
      ...counts('observedGeneration', 'replicas', 'availableReplicas', 'updatedReplicas'),
      conditions,
    },
  },
  {
    apiVersion: 'grove.io/v1alpha1',
    kind: 'PodClique',
    metadata: inSet,
    spec: cliqueSpec,
    status: {
      ...counts('observedGeneration', 'replicas', 'readyReplicas', 'scheduledReplicas'),
      ...counts('scheduleGatedReplicas', 'updatedReplicas'),
      conditions,
    },
  },
  {
    apiVersion: 'grove.io/v1alpha1',
    kind: 'PodCliqueScalingGroup',
    metadata: inSet,
    spec: { replicas: 3, minAvailable: 1, cliqueNames: ['worker'] },
    status: {
      ...counts('observedGeneration', 'replicas', 'availableReplicas', 'scheduledReplicas'),
      ...counts('updatedReplicas'),
      conditions,
    },
  },
  {
    apiVersion: 'scheduler.grove.io/v1alpha1',
    kind: 'PodGang',
    metadata: inSet,
    spec: { podgroups: [{ name: 'worker', minReplicas: 1, podReferences: [] }] },
    status: { phase: 'Running', conditions },
  },
];

const agentSandbox: readonly StateObject[] = [
  {
    apiVersion: 'agents.x-k8s.io/v1beta1',
    kind: 'Sandbox',
    metadata,
    spec: { podTemplate: { spec: podSpec }, operatingMode: 'Suspended', shutdownTime: time },
    status: { conditions },
  },
  {
    apiVersion: 'extensions.agents.x-k8s.io/v1beta1',
    kind: 'SandboxClaim',
    metadata,
    spec: { warmPoolRef: { name: 'python' } },
    status: { sandbox: { name: 'python-1' }, conditions },
  },
  {
    apiVersion: 'extensions.agents.x-k8s.io/v1beta1',
    kind: 'SandboxWarmPool',
    metadata,
    spec: { replicas: 3, sandboxTemplateRef: { name: 'python' } },
    status: { ...counts('observedGeneration', 'replicas', 'readyReplicas'), conditions },
  },
  {
    apiVersion: 'extensions.agents.x-k8s.io/v1beta1',
    kind: 'SandboxTemplate',
    metadata,
    spec: { podTemplate: { spec: podSpec }, networkPolicyManagement: 'Unmanaged' },
  },
];

const place = { cliqueID: 'rack-1', index: 0, ipAddress: '10.0.0.1', status: 'Ready' };

const nvidia: readonly StateObject[] = [
  {
    apiVersion: 'resource.nvidia.com/v1beta1',
    kind: 'ComputeDomain',
    metadata,
    spec: { numNodes: 1, channel: { resourceClaimTemplate: { name: 'channel' } } },
    status: { status: 'Ready', nodes: [{ ...place, name: 'node-1' }] },
  },
  {
    apiVersion: 'resource.nvidia.com/v1beta1',
    kind: 'ComputeDomainClique',
    metadata,
    daemons: [{ ...place, nodeName: 'node-1' }],
  },
];

export const stateObjects: readonly StateObject[] = [...grove, ...agentSandbox, ...nvidia];
