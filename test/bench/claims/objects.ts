// The objects of the claims benchmark: template, pool and claims as a user writes them, and the
// members of a pool as its controller has to write them (spec agent-sandbox 2.3.8, 2.1.5), since
// each label and owner costs the server time.
import { at, list, object, text } from '#machines/kubernetes/json.ts';
import { namespace, podSpec } from '../workload.ts';

export const agents = `/apis/agents.x-k8s.io/v1beta1/namespaces/${namespace}`;
export const extensions = `/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/${namespace}`;
const extensionsVersion = 'extensions.agents.x-k8s.io/v1beta1';
const agentsVersion = 'agents.x-k8s.io/v1beta1';

/** Named as in upstream's load tests, with their hashes (spec 1.6). */
const template = { name: 'template-0', hash: 'cd01fec6' };
export const pool = { name: 'warmpool-0', hash: '5317cfd3' };

export const labels = {
  pool: 'agents.x-k8s.io/warm-pool-sandbox',
  launchType: 'agents.x-k8s.io/launch-type',
  claimUid: 'agents.x-k8s.io/claim-uid',
  templateRef: 'agents.x-k8s.io/sandbox-template-ref-hash',
  templateHash: 'agents.x-k8s.io/sandbox-template-hash',
  podTemplateHash: 'agents.x-k8s.io/sandbox-pod-template-hash',
  createdBy: 'agents.x-k8s.io/created-by',
  sandboxHash: 'agents.x-k8s.io/sandbox-name-hash',
} as const;
const annotations = {
  podName: 'agents.x-k8s.io/pod-name',
  templateRef: 'agents.x-k8s.io/sandbox-template-ref',
  assignment: 'agents.x-k8s.io/sandbox-name',
  isEvictable: 'cluster-autoscaler.kubernetes.io/safe-to-evict',
} as const;

const ownLabels = { app: 'agent-sandbox-load-test' };
const sandboxPodSpec = {
  ...podSpec,
  restartPolicy: 'Never',
  terminationGracePeriodSeconds: 1,
  automountServiceAccountToken: false,
};

export const templateBody = {
  apiVersion: extensionsVersion,
  kind: 'SandboxTemplate',
  metadata: { name: template.name },
  spec: {
    podTemplate: { metadata: { labels: ownLabels }, spec: sandboxPodSpec },
    service: false,
  },
};

export const poolBody = (replicas: number) => ({
  apiVersion: extensionsVersion,
  kind: 'SandboxWarmPool',
  metadata: { name: pool.name },
  spec: { replicas, sandboxTemplateRef: { name: template.name } },
});

export const poolPath = `${extensions}/sandboxwarmpools/${pool.name}`;

export const claimBody = (name: string) => ({
  apiVersion: extensionsVersion,
  kind: 'SandboxClaim',
  metadata: { name },
  spec: { warmPoolRef: { name: pool.name } },
});

/** What identifies a version of an object. */
export interface Version {
  readonly name: string;
  readonly uid: string;
  readonly version: string;
}

const controlledBy = (
  apiVersion: string,
  kind: string,
  { name, uid }: Omit<Version, 'version'>,
) => [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }];

const memberLabels = {
  [labels.pool]: pool.hash,
  [labels.templateRef]: template.hash,
  [labels.podTemplateHash]: '1f0c25d9',
  [labels.templateHash]: '7a3e10b4',
};

export const memberBody = (name: string, poolUid: string) => ({
  apiVersion: agentsVersion,
  kind: 'Sandbox',
  metadata: {
    name,
    labels: { ...memberLabels, [labels.launchType]: 'warm', [labels.createdBy]: 'controller' },
    annotations: { [annotations.templateRef]: template.name, [annotations.podName]: name },
    ownerReferences: controlledBy(extensionsVersion, 'SandboxWarmPool', {
      name: pool.name,
      uid: poolUid,
    }),
  },
  spec: {
    podTemplate: {
      metadata: {
        labels: { ...ownLabels, ...memberLabels },
        annotations: { [annotations.isEvictable]: 'true' },
      },
      spec: sandboxPodSpec,
    },
    service: false,
  },
});

export const podBody = (name: string, sandboxUid: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    labels: { ...ownLabels, [labels.pool]: pool.hash, [labels.sandboxHash]: pool.hash },
    annotations: { [annotations.isEvictable]: 'true' },
    ownerReferences: controlledBy(agentsVersion, 'Sandbox', { name, uid: sandboxUid }),
  },
  spec: sandboxPodSpec,
});

const condition = (type: string, status: string, reason: string, message: string) => ({
  type,
  status,
  reason,
  message,
  observedGeneration: 1,
  lastTransitionTime: new Date(0).toISOString(),
});
const ready = condition('Ready', 'True', 'DependenciesReady', 'Pod is Ready');

export const addressesOf = (pod: unknown): readonly string[] =>
  list(at(pod, 'status', 'podIPs')).map((one) => text(at(one, 'ip')));

/** The first and only status of a member, as a merge patch. */
export const memberStatus = (resourceVersion: string, pod: unknown) => ({
  metadata: { resourceVersion },
  status: {
    conditions: [
      ready,
      condition('Suspended', 'False', 'NotSuspended', 'Sandbox is not suspended'),
      condition('PodScheduled', 'True', 'PodScheduled', ''),
    ],
    selector: `${labels.sandboxHash}=${pool.hash}`,
    podIPs: addressesOf(pod),
    nodeName: text(at(pod, 'spec', 'nodeName')),
  },
});

export const poolStatus = (replicas: number) => ({
  status: {
    replicas,
    readyReplicas: replicas,
    selector: `${labels.pool}=${pool.hash}`,
    observedGeneration: 1,
  },
});

/** The three writes of a claim, as merge patches: it is assigned a member (2.4.5, step 2), takes it
 *  over (step 3), and is told Ready with name and addresses in one (K1). */
export const assignment = (claim: Version, member: string) => ({
  metadata: {
    uid: claim.uid,
    resourceVersion: claim.version,
    annotations: { [annotations.assignment]: member },
  },
});

export const takeOver = (member: Version, claim: Version) => ({
  metadata: {
    uid: member.uid,
    resourceVersion: member.version,
    ownerReferences: controlledBy(extensionsVersion, 'SandboxClaim', claim),
    labels: {
      [labels.pool]: null,
      [labels.podTemplateHash]: null,
      [labels.templateHash]: null,
      [labels.createdBy]: null,
      [labels.launchType]: 'warm',
      [labels.claimUid]: claim.uid,
    },
    annotations: { [annotations.podName]: member.name },
  },
  spec: {
    podTemplate: {
      metadata: {
        labels: {
          [labels.pool]: null,
          [labels.podTemplateHash]: null,
          [labels.templateHash]: null,
          [labels.claimUid]: claim.uid,
        },
        annotations: null,
      },
    },
  },
});

export const claimStatus = (
  resourceVersion: string,
  member: string,
  podIPs: readonly string[],
) => ({
  metadata: { resourceVersion },
  status: { conditions: [ready], sandbox: { name: member, podIPs } },
});

export function versionOf(value: unknown): Version {
  const metadata = object(at(value, 'metadata'));
  return {
    name: text(metadata['name']),
    uid: text(metadata['uid']),
    version: text(metadata['resourceVersion']),
  };
}
