// Small Kubernetes objects and answers for the tests of the kube edge.

export interface Sample {
  readonly name: string;
  readonly uid?: string;
  readonly version: number | string;
  readonly [field: string]: unknown;
}

/** A PodClique; the UID is the name unless given. */
export const clique = ({ name, uid = name, version, ...rest }: Sample) => ({
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodClique',
  metadata: { name, namespace: 'default', uid, resourceVersion: String(version) },
  ...rest,
});

export const list = (version: number | string, items: readonly unknown[], token = '') => ({
  kind: 'List',
  metadata: { resourceVersion: String(version), ...(token === '' ? {} : { continue: token }) },
  items,
});

export const bookmark = (version: number) => ({
  kind: 'PodClique',
  metadata: { resourceVersion: String(version) },
});

export const status = (code: number, reason: string, message = reason, details?: unknown) => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code,
  reason,
  message,
  ...(details === undefined ? {} : { details }),
});
