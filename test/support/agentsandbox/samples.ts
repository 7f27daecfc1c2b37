// Sample objects and settings for the tests of agent-sandbox, all in the namespace `demo`.
import { annotation, label } from '#machines/agentsandbox/objects/labels.ts';
import { nameHash } from '#machines/agentsandbox/objects/name-hash.ts';
import type { AgentSandboxSettings } from '#machines/agentsandbox/settings.ts';
import type { JsonObject, KubeObject, ObjectMeta } from '#machines/kubernetes/objects.ts';

export const agentSandboxSettings: AgentSandboxSettings = {
  clusterDomain: 'cluster.local',
  routerNamespace: 'agent-sandbox-system',
  writeBehindMs: 0,
  warmPool: {
    maxBatchSize: 300,
    replenishDelayMs: 0,
    maxRefillRate: 0,
    readinessGraceMs: 300_000,
    unschedulableRecheckMs: 60_000,
    isEvictable: true,
  },
  claims: { hasEvents: true, hasObservability: true, labelDomains: ['sandbox.users.io'] },
};

const core = 'agents.x-k8s.io/v1beta1';
const extensions = 'extensions.agents.x-k8s.io/v1beta1';

export const container: JsonObject = { name: 'main', image: 'busybox:1' };

/** `name`: of the Sandbox. */
export const sandboxNamed = (
  name: string,
  spec: JsonObject = {},
  metadata: Partial<ObjectMeta> = {},
): KubeObject => ({
  apiVersion: core,
  kind: 'Sandbox',
  metadata: { name, namespace: 'demo', ...metadata },
  spec: {
    podTemplate: { metadata: {}, spec: { containers: [container] } },
    operatingMode: 'Running',
    shutdownPolicy: 'Retain',
    ...spec,
  },
});

/** As a warm pool makes it. */
export const memberOf = (pool: string, name: string): KubeObject =>
  sandboxNamed(
    name,
    {},
    {
      labels: {
        [label.warmPool]: nameHash(pool),
        [label.templateRefHash]: nameHash('template'),
        [label.createdBy]: 'controller',
        [label.launchType]: 'warm',
      },
      annotations: { [annotation.podName]: name },
      ownerReferences: [controllerOfKind('SandboxWarmPool', pool, `uid-of-${pool}`)],
    },
  );

export const controllerOfKind = (kind: string, name: string, uid: string) => ({
  apiVersion: kind === 'Sandbox' ? core : extensions,
  kind,
  name,
  uid,
  controller: true,
});

export const templateNamed = (name: string, spec: JsonObject = {}): KubeObject => ({
  apiVersion: extensions,
  kind: 'SandboxTemplate',
  metadata: { name, namespace: 'demo' },
  spec: { podTemplate: { spec: { containers: [container] } }, ...spec },
});

export const podNamed = (name: string, metadata: Partial<ObjectMeta> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'demo', ...metadata },
  spec: { containers: [container] },
});

export const tracked = (sandbox: string): Record<string, string> => ({
  [label.sandboxNameHash]: nameHash(sandbox),
});

export const sandboxRef = (name: string) => ({ kind: 'Sandbox', namespace: 'demo', name }) as const;
export const podRef = (name: string) => ({ kind: 'Pod', namespace: 'demo', name }) as const;
export const serviceRef = (name: string) => ({ kind: 'Service', namespace: 'demo', name }) as const;
/** A PVC, as the world stores it. */
export const volumeRef = (name: string) =>
  ({ kind: 'SandboxVolume', namespace: 'demo', name }) as const;

/** The status of a pod that runs, on a node, with an address. */
export const running: JsonObject = {
  phase: 'Running',
  podIPs: [{ ip: '10.0.0.1' }],
  conditions: [
    { type: 'PodScheduled', status: 'True' },
    { type: 'Ready', status: 'True' },
  ],
};
