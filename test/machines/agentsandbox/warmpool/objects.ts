// Objects of a warm pool as users and controllers write them.
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { label } from '#machines/agentsandbox/objects/labels.ts';
import { nameHash } from '#machines/agentsandbox/objects/name-hash.ts';
import type { AgentSandboxSettings } from '#machines/agentsandbox/settings.ts';

export const namespace = 'default';
export const extensions = 'extensions.agents.x-k8s.io/v1beta1';
export const core = 'agents.x-k8s.io/v1beta1';

export const settings: AgentSandboxSettings = {
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

/** What was read, of an object that is not malformed. */
export const sure = <T extends object>(read: T | { readonly malformed: string }): T => {
  if ('malformed' in read) throw new Error(read.malformed);
  return read;
};

export const time = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');

export interface PoolOptions {
  readonly name?: string;
  readonly replicas?: number;
  readonly template?: string;
  readonly strategy?: string;
}

export const poolObject = ({
  name = 'pool',
  replicas = 3,
  template = 'template',
  strategy = 'OnReplenish',
}: PoolOptions = {}): KubeObject => ({
  apiVersion: extensions,
  kind: 'SandboxWarmPool',
  metadata: { name, namespace, uid: `uid-${name}`, generation: 1 },
  spec: { replicas, sandboxTemplateRef: { name: template }, updateStrategy: { type: strategy } },
});

export const templateObject = (image = 'one', spec: JsonObject = {}): KubeObject => ({
  apiVersion: extensions,
  kind: 'SandboxTemplate',
  metadata: { name: 'template', namespace, uid: 'uid-template', generation: 1 },
  spec: { podTemplate: { spec: { containers: [{ name: 'main', image }] } }, ...spec },
});

/** A pod of a member that its node could not start. */
export const startError = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels: { [label.warmPool]: nameHash('pool') } },
  status: {
    containerStatuses: [
      {
        name: 'main',
        state: { terminated: { reason: 'StartError', message: 'D-Bus timed out' } },
      },
    ],
  },
});

/** As a controller of before has left it, or somebody who took its owner away. */
export const sandboxObject = (name: string, more: Partial<KubeObject['metadata']> = {}) =>
  ({
    apiVersion: core,
    kind: 'Sandbox',
    metadata: {
      name,
      namespace,
      uid: `uid-${name}`,
      labels: {
        [label.warmPool]: nameHash('pool'),
        [label.templateRefHash]: nameHash('template'),
        [label.launchType]: 'warm',
      },
      ...more,
    },
    spec: {
      podTemplate: {
        spec: {
          automountServiceAccountToken: false,
          containers: [{ name: 'main', image: 'one' }],
          dnsConfig: { nameservers: ['8.8.8.8', '1.1.1.1'] },
          dnsPolicy: 'None',
        },
      },
    },
  }) satisfies KubeObject;

export const ownedBy = (kind: string, name: string, uid = `uid-${name}`) => ({
  apiVersion: extensions,
  kind,
  name,
  uid,
  controller: true,
});

/** The status of a Sandbox whose pod runs. */
export const readyStatus = (nodeName: string, now: number, isReady = true): JsonObject => ({
  conditions: [
    {
      type: 'Ready',
      status: isReady ? 'True' : 'False',
      reason: isReady ? 'DependenciesReady' : 'DependenciesNotReady',
      lastTransitionTime: time(now),
    },
    { type: 'PodScheduled', status: 'True', reason: 'PodScheduled', lastTransitionTime: time(0) },
  ],
  podIPs: ['10.0.0.1'],
  nodeName,
});

export const unschedulableStatus = (now: number) => ({
  conditions: [
    { type: 'Ready', status: 'False', lastTransitionTime: time(now) },
    {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      lastTransitionTime: time(now),
    },
  ],
});
