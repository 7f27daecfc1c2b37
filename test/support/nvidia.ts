// Sample objects and settings for the tests of ComputeDomains.
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import type { NvidiaSettings } from '#machines/nvidia/settings.ts';

export const nvidiaSettings: NvidiaSettings = {
  driverNamespace: 'driver',
  additionalNamespaces: ['older'],
  mode: 'driverManaged',
  maxNodes: 18,
  image: 'nvcr.io/driver:test',
  imagePullSecrets: [],
  logVerbosity: 4,
  command: ['compute-domain-daemon', '-v', '$(LOG_VERBOSITY)', 'run'],
  featureGates: { IMEXDaemonsWithDNSNames: true, ComputeDomainCliques: true },
  priorityClassName: '',
  resources: {},
  agent: { servers: [], credentialsSecret: '', caSecret: '' },
  statusIntervalMs: 2_000,
};

const group = 'resource.nvidia.com';
const labelOfDomain = `${group}/computeDomain`;

export const domainKey = { kind: 'computedomain', namespace: 'demo', name: 'mesh' } as const;
export const domainRef = { kind: 'ComputeDomain', namespace: 'demo', name: 'mesh' } as const;

/** `demo/mesh`. */
export const mesh = (
  { numNodes = 0, allocationMode = 'Single' } = {},
  status?: JsonObject,
): KubeObject => ({
  apiVersion: `${group}/v1beta1`,
  kind: 'ComputeDomain',
  metadata: { name: 'mesh', namespace: 'demo' },
  spec: { numNodes, channel: { allocationMode, resourceClaimTemplate: { name: 'channels' } } },
  ...(status === undefined ? {} : { status }),
});

export interface DaemonOptions {
  readonly domain: string;
  readonly node: string;
  /** Absent: it has not said yet. */
  readonly clique?: string;
  readonly ip?: string;
  readonly isReady?: boolean;
  readonly name?: string;
  readonly namespace?: string;
  readonly isAgent?: boolean;
}

export const daemonPod = ({
  domain,
  node,
  clique,
  ip = '',
  isReady = true,
  name = `daemon-${node}`,
  namespace = 'driver',
  isAgent = false,
}: DaemonOptions): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace,
    annotations: isAgent ? { 'coppice.dev/clique-agent': 'true' } : {},
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        name: `computedomain-daemon-${domain}`,
        uid: 'uid-of-daemon-set',
        controller: true,
      },
    ],
    labels: {
      [labelOfDomain]: domain,
      ...(clique === undefined ? {} : { [`${labelOfDomain}.cliqueID`]: clique }),
    },
  },
  spec: { nodeName: node, containers: [{ name: 'compute-domain-daemon' }] },
  status: {
    phase: 'Running',
    podIP: ip,
    conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
  },
});

/** `[node, IP, index, status]`. */
export type RowOf = readonly [string, string, number, 'Ready' | 'NotReady'];

export const cliqueOf = (
  domain: string,
  cliqueID: string,
  rows: readonly RowOf[],
  namespace = 'driver',
): KubeObject => ({
  apiVersion: `${group}/v1beta1`,
  kind: 'ComputeDomainClique',
  metadata: {
    name: `${domain}.${cliqueID}`,
    namespace,
    labels: { [labelOfDomain]: domain, [`${labelOfDomain}.cliqueID`]: cliqueID },
  },
  daemons: rowsOf(cliqueID, rows),
});

export const rowsOf = (cliqueID: string, rows: readonly RowOf[]): JsonObject[] =>
  rows.map(([nodeName, ipAddress, index, status]) => ({
    nodeName,
    ipAddress,
    cliqueID,
    index,
    status,
  }));

export const labelledNode = (name: string, domain: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { [labelOfDomain]: domain, 'kubernetes.io/hostname': name } },
});

/** As another controller or an earlier life has made it. */
export const childOf = (
  kind: 'DaemonSet' | 'ResourceClaimTemplate',
  { namespace, name }: { readonly namespace: string; readonly name: string },
  labels: Readonly<Record<string, string>>,
): KubeObject => ({
  apiVersion: kind === 'DaemonSet' ? 'apps/v1' : 'resource.k8s.io/v1',
  kind,
  metadata: { name, namespace, labels, finalizers: [labelOfDomain] },
  spec: {},
});

export const labelsOf = (domain: string, target?: string): Record<string, string> => ({
  [labelOfDomain]: domain,
  ...(target === undefined ? {} : { [`${group}/computeDomainTarget`]: target }),
});

export { labelOfDomain };
