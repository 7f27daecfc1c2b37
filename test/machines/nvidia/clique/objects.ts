// Objects as NVIDIA's driver and Kubernetes write them, for the tests of cliques.
import { annotation, cliqueName, domainLabel, label } from '#machines/nvidia/objects/labels.ts';
import type { NvidiaSettings } from '#machines/nvidia/settings.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { nvidiaSettings } from '#test/support/nvidia.ts';

export const domainUid = '11111111-2222-3333-4444-555555555555';
export const cliqueID = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee.7';
export const namespace = 'nvidia-dra-driver';
export const name = cliqueName(domainUid, cliqueID);
export const key = { kind: 'clique', namespace, name } as const;
const secondMs = 1_000;

export const settings: NvidiaSettings = {
  ...nvidiaSettings,
  driverNamespace: namespace,
  additionalNamespaces: [],
};

export interface DaemonOptions {
  readonly node: string;
  readonly name?: string;
  readonly ip?: string;
  readonly ready?: boolean;
  readonly phase?: string;
  /** Undefined: it has not said yet. */
  readonly clique?: string | undefined;
  readonly deleting?: boolean;
  /** Seconds since the epoch. */
  readonly created?: number;
  readonly version?: number;
  readonly maxNodes?: number;
  readonly isAgent?: boolean;
  readonly owner?: string;
}

const time = (seconds: number): string => new Date(seconds * secondMs).toISOString();

export function daemon(options: DaemonOptions): KubeObject {
  const { node, name: podName = `daemon-${node}`, ip = '', version = 1, created = 0 } = options;
  const { phase = 'Running', ready = false, deleting = false, maxNodes = 18 } = options;
  const clique = 'clique' in options ? options.clique : cliqueID;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podName,
      namespace,
      uid: `uid-${podName}`,
      resourceVersion: String(version),
      creationTimestamp: time(created),
      ...(deleting ? { deletionTimestamp: time(created + 1) } : {}),
      labels: {
        [domainLabel]: domainUid,
        ...(clique === undefined ? {} : { [label.clique]: clique }),
      },
      annotations: options.isAgent === true ? { [annotation.agent]: 'true' } : {},
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'DaemonSet',
          name: options.owner ?? `computedomain-daemon-${domainUid}`,
          uid: 'uid-of-daemon-set',
          controller: true,
        },
      ],
    },
    spec: {
      nodeName: node,
      containers: [{ env: [{ name: 'MAX_NODES_PER_IMEX_DOMAIN', value: String(maxNodes) }] }],
    },
    status: {
      phase,
      podIP: ip,
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    },
  };
}

export interface RowOptions {
  readonly node: string;
  readonly index?: number;
  readonly ip?: string;
  readonly ready?: boolean;
  readonly clique?: string;
}

export const row = ({
  node,
  index,
  ip = '',
  ready = false,
  clique = cliqueID,
}: RowOptions): JsonObject => ({
  nodeName: node,
  ipAddress: ip,
  cliqueID: clique,
  ...(index === undefined ? {} : { index }),
  status: ready ? 'Ready' : 'NotReady',
});

export const cliqueObject = (
  daemons: readonly JsonObject[],
  metadata: Partial<KubeObject['metadata']> = {},
): KubeObject => ({
  apiVersion: 'resource.nvidia.com/v1beta1',
  kind: 'ComputeDomainClique',
  metadata: {
    name,
    namespace,
    uid: 'uid-of-clique',
    resourceVersion: '10',
    labels: { [domainLabel]: domainUid, [label.clique]: cliqueID },
    ...metadata,
  },
  daemons: [...daemons],
});

export const ownedBy = (...pods: readonly string[]) =>
  pods.map((pod) => ({ apiVersion: 'v1', kind: 'Pod', name: pod, uid: `uid-${pod}` }));

export const domain = (changes: Partial<KubeObject> = {}): KubeObject => ({
  apiVersion: 'resource.nvidia.com/v1beta1',
  kind: 'ComputeDomain',
  metadata: { name: 'imex', namespace: 'team', uid: domainUid, resourceVersion: '5' },
  spec: { channel: { resourceClaimTemplate: { name: 'imex-channel' } } },
  ...changes,
});

export const labelledNode = (node: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: node,
    uid: `uid-${node}`,
    resourceVersion: '1',
    labels: { [domainLabel]: domainUid },
  },
});
