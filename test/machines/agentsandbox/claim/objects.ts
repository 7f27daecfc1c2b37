// Claims, pools and templates as users write them.
import { annotation, label } from '#machines/agentsandbox/objects/labels.ts';
import type { AgentSandboxSettings } from '#machines/agentsandbox/settings.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';

export const namespace = 'demo';
const extensions = 'extensions.agents.x-k8s.io/v1beta1';

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

export const poolObject = ({
  name = 'pool',
  replicas = 0,
  template = 'template',
  strategy = 'OnReplenish',
}: {
  readonly name?: string;
  readonly replicas?: number;
  readonly template?: string;
  readonly strategy?: string;
} = {}): KubeObject => ({
  apiVersion: extensions,
  kind: 'SandboxWarmPool',
  metadata: { name, namespace },
  spec: { replicas, sandboxTemplateRef: { name: template }, updateStrategy: { type: strategy } },
});

export const templateObject = (spec: JsonObject = {}, name = 'template'): KubeObject => ({
  apiVersion: extensions,
  kind: 'SandboxTemplate',
  metadata: { name, namespace },
  spec: { podTemplate: { spec: { containers: [{ name: 'main', image: 'one' }] } }, ...spec },
});

export interface ClaimOptions {
  readonly pool?: string;
  readonly spec?: JsonObject;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly status?: JsonObject;
}

/** As a client of the SDK writes it. */
export const claimObject = (
  now: number,
  name: string,
  { pool = 'pool', spec = {}, labels = {}, annotations = {}, status }: ClaimOptions = {},
): KubeObject => ({
  apiVersion: extensions,
  kind: 'SandboxClaim',
  metadata: {
    name,
    namespace,
    labels: { [label.createdBy]: 'python-client', ...labels },
    annotations: {
      [annotation.clientFirstRequestedAt]: new Date(now).toISOString(),
      ...annotations,
    },
  },
  spec: { warmPoolRef: { name: pool }, ...spec },
  ...(status === undefined ? {} : { status }),
});

export const sandboxObject = (
  name: string,
  more: Partial<KubeObject['metadata']> = {},
): KubeObject => ({
  apiVersion: 'agents.x-k8s.io/v1beta1',
  kind: 'Sandbox',
  metadata: { name, namespace, ...more },
  spec: { podTemplate: { spec: { containers: [{ name: 'main', image: 'one' }] } } },
});
