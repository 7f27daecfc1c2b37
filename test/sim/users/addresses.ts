// Where the simulated user finds objects: paths of the API, each with its collection in the store.

const inDefault = (group: string, plural: string): string =>
  `/apis/${group}/namespaces/default/${plural}`;

export const sets = inDefault('grove.io/v1alpha1', 'podcliquesets');
export const cliques = inDefault('grove.io/v1alpha1', 'podcliques');
export const groups = inDefault('grove.io/v1alpha1', 'podcliquescalinggroups');
export const gangs = inDefault('scheduler.grove.io/v1alpha1', 'podgangs');
export const leases = inDefault('coordination.k8s.io/v1', 'leases');
export const services = '/api/v1/namespaces/default/services';
export const pods = '/api/v1/namespaces/default/pods';

export type Address = readonly [path: string, collection: string];

/** What may carry conditions of others. */
export const judged: readonly Address[] = [
  [sets, 'grove.io/podcliquesets'],
  [cliques, 'grove.io/podcliques'],
  [pods, '/pods'],
  [gangs, 'scheduler.grove.io/podgangs'],
];

/** What may carry marks of others. */
export const markable: readonly Address[] = [
  ...judged,
  [services, '/services'],
  ['/api/v1/namespaces/default/serviceaccounts', '/serviceaccounts'],
];

/** What the controller watches by a label. */
export const watchable = [
  [pods, '/pods'],
  [services, '/services'],
] as const satisfies readonly Address[];

/** All of these, in runs with scaling groups. */
export const ofGroups: Address = [groups, 'grove.io/podcliquescalinggroups'];

/** The same, in runs with groups for NVLink. */
export const ofDomains: Address = [
  inDefault('resource.nvidia.com/v1beta1', 'computedomains'),
  'resource.nvidia.com/computedomains',
];

/** What may be taken away and must come back. */
export const losable: readonly Address[] = [
  ...markable.slice(1),
  [inDefault('rbac.authorization.k8s.io/v1', 'roles'), 'rbac.authorization.k8s.io/roles'],
  ['/api/v1/namespaces/default/secrets', '/secrets'],
];
