// Objects as the controller and the daemons of NVIDIA's DRA driver leave them (spec compute-domain
// 1.2, 1.4, 2.6), written down here without the product's own code: what the product takes over,
// and what it has to leave to that controller.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { domainLabel, driver } from './cliques-stage.ts';

/** The same string, as a label and as a finalizer. */
const finalizers = [domainLabel];
const claims = 'resource.k8s.io/v1';
const nvidia = 'resource.nvidia.com/v1beta1';

export const domainBody = (name: string): JsonObject => ({
  apiVersion: nvidia,
  kind: 'ComputeDomain',
  metadata: { name, finalizers },
  spec: {
    numNodes: 3,
    channel: { allocationMode: 'Single', resourceClaimTemplate: { name } },
  },
});

interface Asked {
  readonly target: 'Daemon' | 'Workload';
  readonly request: string;
  readonly deviceClassName: string;
  readonly parameters: JsonObject;
}

const template = (
  uid: string,
  name: string,
  { target, request, deviceClassName, parameters }: Asked,
) => ({
  apiVersion: claims,
  kind: 'ResourceClaimTemplate',
  metadata: {
    name,
    finalizers,
    labels: { [domainLabel]: uid, 'resource.nvidia.com/computeDomainTarget': target },
  },
  spec: {
    spec: {
      devices: {
        requests: [{ name: request, exactly: { deviceClassName } }],
        config: [
          {
            requests: [request],
            opaque: {
              driver: 'compute-domain.nvidia.com',
              parameters: { apiVersion: nvidia, ...parameters, domainID: uid },
            },
          },
        ],
      },
    },
  },
});

const daemonsName = (uid: string): string => `computedomain-daemon-${uid}`;

const fromPod = (name: string, fieldPath: string): JsonObject => ({
  name,
  valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } },
});

const probe = (periodSeconds: number, failureThreshold: number): JsonObject => ({
  exec: { command: ['compute-domain-daemon', 'check'] },
  periodSeconds,
  timeoutSeconds: 10,
  failureThreshold,
});

const container: JsonObject = {
  name: 'compute-domain-daemon',
  image: 'driver:simulated',
  command: ['compute-domain-daemon', '-v', '$(LOG_VERBOSITY)', 'run'],
  env: [
    { name: 'LOG_VERBOSITY', value: '4' },
    { name: 'MAX_NODES_PER_IMEX_DOMAIN', value: '18' },
    fromPod('NODE_NAME', 'spec.nodeName'),
    fromPod('POD_IP', 'status.podIP'),
    fromPod('POD_UID', 'metadata.uid'),
    fromPod('POD_NAME', 'metadata.name'),
    fromPod('POD_NAMESPACE', 'metadata.namespace'),
    { name: 'NVIDIA_VISIBLE_DEVICES', value: 'void' },
    {
      name: 'FEATURE_GATES',
      value:
        'ComputeDomainCliques=true,CrashOnNVLinkFabricErrors=true,IMEXDaemonsWithDNSNames=true,',
    },
  ],
  resources: { claims: [{ name: 'compute-domain-daemon' }] },
  startupProbe: probe(1, 1200),
  livenessProbe: probe(60, 20),
  readinessProbe: probe(10, 1),
};

const daemonSet = (uid: string) => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: daemonsName(uid), finalizers, labels: { [domainLabel]: uid } },
  spec: {
    selector: { matchLabels: { [domainLabel]: uid } },
    template: {
      metadata: { labels: { [domainLabel]: uid } },
      spec: {
        serviceAccountName: 'compute-domain-daemon-service-account',
        nodeSelector: { [domainLabel]: uid },
        tolerations: ['NoSchedule', 'NoExecute', 'PreferNoSchedule'].map((effect) => ({
          operator: 'Exists',
          effect,
        })),
        containers: [container],
        resourceClaims: [
          { name: 'compute-domain-daemon', resourceClaimTemplateName: daemonsName(uid) },
        ],
      },
    },
  },
});

interface Made {
  readonly collection: string;
  readonly body: JsonObject & { readonly metadata: { readonly name: string } };
}

/** What the driver's controller makes for a domain of that name, in its order. */
export const childrenOf = (name: string, uid: string): readonly Made[] => [
  {
    collection: `/apis/${claims}/namespaces/${driver}/resourceclaimtemplates`,
    body: template(uid, daemonsName(uid), {
      target: 'Daemon',
      request: 'daemon',
      deviceClassName: 'compute-domain-daemon.nvidia.com',
      parameters: { kind: 'ComputeDomainDaemonConfig' },
    }),
  },
  { collection: `/apis/apps/v1/namespaces/${driver}/daemonsets`, body: daemonSet(uid) },
  {
    collection: `/apis/${claims}/namespaces/default/resourceclaimtemplates`,
    body: template(uid, name, {
      target: 'Workload',
      request: 'channel',
      deviceClassName: 'compute-domain-default-channel.nvidia.com',
      parameters: { kind: 'ComputeDomainChannelConfig', allocationMode: 'Single' },
    }),
  },
];

export interface Member {
  readonly node: string;
  readonly index: number;
  readonly ip: string;
  readonly pod: string;
  readonly uid: string;
}

export const cliqueBody = (uid: string, cliqueID: string, members: readonly Member[]) => ({
  apiVersion: nvidia,
  kind: 'ComputeDomainClique',
  metadata: {
    name: `${uid}.${cliqueID}`,
    labels: { [domainLabel]: uid, [`${domainLabel}.cliqueID`]: cliqueID },
    ownerReferences: members.map(ownerOf),
  },
  daemons: members.map(({ node, ip, index }) => ({
    nodeName: node,
    ipAddress: ip,
    cliqueID,
    index,
    status: 'Ready',
  })),
});

const ownerOf = ({ pod, uid }: Member) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  name: pod,
  uid,
});

export const statusBody = (cliqueID: string, members: readonly Member[]) => ({
  status: 'Ready',
  nodes: members.map(({ node, ip, index }) => ({
    name: node,
    ipAddress: ip,
    cliqueID,
    index,
    status: 'Ready',
  })),
});
