// The built-in kinds that the embedded cluster serves, as one line each: names, scope, short names,
// categories, verbs and subresources as Kubernetes 1.35 has them. builtin.ts turns the lines into
// ResourceInfo; the data tool keeps the definitions that are reachable from them.

/** A subresource line: `[name, kind, apiVersion, verbs]`. */
export type SubresourceLine = readonly [string, string, string, readonly string[]];

export interface BuiltinLine {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly SubresourceLine[];
}

const everyVerb = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
] as const;
const readWrite = ['get', 'patch', 'update'] as const;
const createOnly = ['create'] as const;

interface Extra {
  readonly short?: readonly string[];
  readonly all?: true;
  readonly extensions?: true;
  readonly verbs?: readonly string[];
  /** True: a `/status` of the same kind. */
  readonly status?: true;
  readonly scale?: true;
  readonly sub?: readonly SubresourceLine[];
  readonly cluster?: true;
}

const subresourcesOf = (apiVersion: string, kind: string, extra: Extra): SubresourceLine[] => {
  const lines: SubresourceLine[] = [...(extra.sub ?? [])];
  if (extra.scale) lines.push(['scale', 'Scale', 'autoscaling/v1', readWrite]);
  if (extra.status) lines.push(['status', kind, apiVersion, readWrite]);
  return lines;
};

const categoriesOf = (extra: Extra): string[] => [
  ...(extra.all ? ['all'] : []),
  ...(extra.extensions ? ['api-extensions'] : []),
];

const kind = (
  apiVersion: string,
  name: string,
  plural: string,
  extra: Extra = {},
): BuiltinLine => ({
  apiVersion,
  kind: name,
  plural,
  namespaced: !extra.cluster,
  shortNames: extra.short ?? [],
  categories: categoriesOf(extra),
  verbs: extra.verbs ?? everyVerb,
  subresources: subresourcesOf(apiVersion, name, extra),
});

const podSubresources: SubresourceLine[] = [
  ['binding', 'Binding', 'v1', createOnly],
  ['ephemeralcontainers', 'Pod', 'v1', readWrite],
  ['eviction', 'Eviction', 'policy/v1', createOnly],
  ['log', 'Pod', 'v1', ['get']],
  ['resize', 'Pod', 'v1', readWrite],
];
const tokenRequest: SubresourceLine = [
  'token',
  'TokenRequest',
  'authentication.k8s.io/v1',
  createOnly,
];
const namespaceVerbs = everyVerb.filter((verb) => verb !== 'deletecollection');
const rbac = 'rbac.authorization.k8s.io/v1';
const admission = 'admissionregistration.k8s.io/v1';
const authorization = 'authorization.k8s.io/v1';
const authentication = 'authentication.k8s.io/v1';
const dra = 'resource.k8s.io/v1';

/** All built-in kinds; the order is that of discovery within a group version. */
export const builtinLines: readonly BuiltinLine[] = [
  kind('v1', 'Binding', 'bindings', { verbs: createOnly }),
  kind('v1', 'ConfigMap', 'configmaps', { short: ['cm'] }),
  kind('v1', 'Endpoints', 'endpoints', { short: ['ep'] }),
  kind('v1', 'Event', 'events', { short: ['ev'] }),
  kind('v1', 'LimitRange', 'limitranges', { short: ['limits'] }),
  kind('v1', 'Namespace', 'namespaces', {
    short: ['ns'],
    cluster: true,
    status: true,
    verbs: namespaceVerbs,
    sub: [['finalize', 'Namespace', 'v1', ['update']]],
  }),
  kind('v1', 'Node', 'nodes', { short: ['no'], cluster: true, status: true }),
  kind('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', { short: ['pvc'], status: true }),
  kind('v1', 'PersistentVolume', 'persistentvolumes', {
    short: ['pv'],
    cluster: true,
    status: true,
  }),
  kind('v1', 'Pod', 'pods', { short: ['po'], all: true, status: true, sub: podSubresources }),
  kind('v1', 'ResourceQuota', 'resourcequotas', { short: ['quota'], status: true }),
  kind('v1', 'Secret', 'secrets'),
  kind('v1', 'ServiceAccount', 'serviceaccounts', { short: ['sa'], sub: [tokenRequest] }),
  kind('v1', 'Service', 'services', { short: ['svc'], all: true, status: true }),
  kind(admission, 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', {
    cluster: true,
    extensions: true,
  }),
  kind(admission, 'ValidatingWebhookConfiguration', 'validatingwebhookconfigurations', {
    cluster: true,
    extensions: true,
  }),
  kind('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'customresourcedefinitions', {
    short: ['crd', 'crds'],
    cluster: true,
    extensions: true,
    status: true,
  }),
  kind('apiregistration.k8s.io/v1', 'APIService', 'apiservices', {
    cluster: true,
    extensions: true,
    verbs: ['get', 'list', 'watch'],
  }),
  kind('apps/v1', 'ControllerRevision', 'controllerrevisions'),
  kind('apps/v1', 'DaemonSet', 'daemonsets', { short: ['ds'], all: true, status: true }),
  kind('apps/v1', 'Deployment', 'deployments', {
    short: ['deploy'],
    all: true,
    status: true,
    scale: true,
  }),
  kind('apps/v1', 'ReplicaSet', 'replicasets', {
    short: ['rs'],
    all: true,
    status: true,
    scale: true,
  }),
  kind('apps/v1', 'StatefulSet', 'statefulsets', {
    short: ['sts'],
    all: true,
    status: true,
    scale: true,
  }),
  kind(authentication, 'SelfSubjectReview', 'selfsubjectreviews', {
    cluster: true,
    verbs: createOnly,
  }),
  kind(authentication, 'TokenReview', 'tokenreviews', { cluster: true, verbs: createOnly }),
  kind(authorization, 'LocalSubjectAccessReview', 'localsubjectaccessreviews', {
    verbs: createOnly,
  }),
  kind(authorization, 'SelfSubjectAccessReview', 'selfsubjectaccessreviews', {
    cluster: true,
    verbs: createOnly,
  }),
  kind(authorization, 'SelfSubjectRulesReview', 'selfsubjectrulesreviews', {
    cluster: true,
    verbs: createOnly,
  }),
  kind(authorization, 'SubjectAccessReview', 'subjectaccessreviews', {
    cluster: true,
    verbs: createOnly,
  }),
  kind('autoscaling/v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', {
    short: ['hpa'],
    all: true,
    status: true,
  }),
  kind('batch/v1', 'CronJob', 'cronjobs', { short: ['cj'], all: true, status: true }),
  kind('batch/v1', 'Job', 'jobs', { all: true, status: true }),
  kind('coordination.k8s.io/v1', 'Lease', 'leases'),
  kind('discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices'),
  kind('events.k8s.io/v1', 'Event', 'events', { short: ['ev'] }),
  kind('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies', { short: ['netpol'] }),
  kind('policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets', {
    short: ['pdb'],
    status: true,
  }),
  kind(rbac, 'ClusterRoleBinding', 'clusterrolebindings', { cluster: true }),
  kind(rbac, 'ClusterRole', 'clusterroles', { cluster: true }),
  kind(rbac, 'RoleBinding', 'rolebindings'),
  kind(rbac, 'Role', 'roles'),
  kind(dra, 'DeviceClass', 'deviceclasses', { cluster: true }),
  kind(dra, 'ResourceClaim', 'resourceclaims', { status: true }),
  kind(dra, 'ResourceClaimTemplate', 'resourceclaimtemplates'),
  kind(dra, 'ResourceSlice', 'resourceslices', { cluster: true }),
  kind('scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses', {
    short: ['pc'],
    cluster: true,
  }),
  kind('storage.k8s.io/v1', 'StorageClass', 'storageclasses', { short: ['sc'], cluster: true }),
];

/** Kinds that travel but are no resource of their own; their definitions are kept too. */
export const transportKinds: readonly (readonly [apiVersion: string, kind: string])[] = [
  ['v1', 'Status'],
  ['v1', 'DeleteOptions'],
  ['v1', 'WatchEvent'],
  ['v1', 'APIGroupList'],
  ['v1', 'APIResourceList'],
  ['autoscaling/v1', 'Scale'],
  ['policy/v1', 'Eviction'],
  ['authentication.k8s.io/v1', 'TokenRequest'],
];

/** `apps/v1` to `['apps', 'v1']`, `v1` to `['', 'v1']`. */
export function splitApiVersion(apiVersion: string): [group: string, version: string] {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
}
