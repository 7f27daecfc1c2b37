// Revisions and EndpointSlices for tests, as the API has them.
import type { KubeObject } from '#machines/kubernetes/objects.ts';

export const namespace = 'demo';
export const revisionKey = { kind: 'revision', namespace, name: 'hello' } as const;

/** What a test may say of a pod. */
export interface ListedPod {
  readonly ip: string;
  /** Of the pod; absent: `pod-<ip>`. */
  readonly id?: string;
  readonly ready?: boolean;
  readonly terminating?: boolean;
}

interface RevisionLook {
  readonly limit?: number;
  readonly timeoutSeconds?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly containers?: readonly object[];
  readonly version?: number;
  readonly uid?: string;
  readonly deleting?: boolean;
}

export const revisionObject = ({
  limit = 10,
  timeoutSeconds = 300,
  annotations = {},
  containers = [{ name: 'user' }],
  version = 1,
  uid = 'revision-1',
  deleting = false,
}: RevisionLook = {}): KubeObject => ({
  apiVersion: 'serving.knative.dev/v1',
  kind: 'Revision',
  metadata: {
    namespace,
    name: revisionKey.name,
    uid,
    resourceVersion: String(version),
    generation: 1,
    annotations,
    ...(deleting && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
  },
  spec: { containerConcurrency: limit, timeoutSeconds, containers },
});

export const sliceObject = (
  pods: readonly ListedPod[],
  {
    version = 1,
    name = 'hello-private-1',
    service = 'hello-private',
    ports = [
      { name: 'http', port: 8012 },
      { name: 'http2', port: 8013 },
    ],
  } = {},
): KubeObject => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: {
    namespace,
    name,
    uid: `slice-${name}`,
    resourceVersion: String(version),
    labels: { 'kubernetes.io/service-name': service },
  },
  ports,
  endpoints: pods.map(({ ip, id = `pod-${ip}`, ready = true, terminating = false }) => ({
    addresses: [ip],
    conditions: { ready, terminating },
    targetRef: { kind: 'Pod', uid: id },
  })),
});

/** Where the pod is reached. */
export const destOf = (ip: string): string => (ip.includes(':') ? `[${ip}]:8012` : `${ip}:8012`);
