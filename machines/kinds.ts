// The kinds of object that Coppice reads or writes, with what is needed to address them.
// Everyone who builds a path, a reference or a subject takes it from here; the permissions of the
// chart are held to it (test/charts).
import type { Operation } from './vocabulary.ts';

interface KindRow {
  readonly apiVersion: string;
  /** What the API calls it, where our key is another: two groups may give a kind the same name. */
  readonly kind?: string;
  readonly plural: string;
  /** Only objects with this value of `app.kubernetes.io/managed-by` are listed and watched (spec
   *  controllers 0.6); absent: all are. */
  readonly managedBy?: string;
  /** A label that all of ours have too: by it those are found that lost the one above. */
  readonly alsoLabelled?: string;
  /** Says how much is wanted, or is what is counted: whoever takes over a shard lists it anew
   *  before anything is planned (decision 0012). */
  readonly isDeciding?: true;
  /** All that intents may do to it, as the chart grants it; a simulation fails at anything else. */
  readonly writes: readonly Operation[];
  /** Kinds that control objects of this one, which keep them from going first: some clusters have
   *  a permission for that (OwnerReferencesPermissionEnforcement). */
  readonly owners: readonly string[];
  /** Has no namespace: references to it have an empty one. */
  readonly isClusterScoped?: boolean;
  /** Belongs to a scheduler backend: it is watched where that one is enabled, and even there its
   *  CRD may be missing, which counts as no objects. */
  readonly backend?: SchedulerBackend;
  /** Clusters need not serve it: a missing one counts as no objects. */
  readonly isOptional?: true;
  /** Belongs to a part of the configuration that may be off: watched only where that is on. */
  readonly feature?: Feature;
  /** Neither listed nor watched, and read only where the configuration says so: what is known of it
   *  are the answers to our writes. */
  readonly isUnwatched?: true;
}

/** Scheduler backends that have objects of their own (spec controllers 8.4). */
export type SchedulerBackend = 'kai-scheduler' | 'volcano';

/** Parts of the configuration that have objects of their own (spec controllers 8.1). */
export type Feature = 'computeDomains';

const core = 'v1';
const managedBy = 'grove-operator';
const grove = 'grove.io/v1alpha1';
const all = ['create', 'patch', 'delete', 'status'] as const;
const allButStatus = ['create', 'patch', 'delete'] as const;
const ofSet = ['PodCliqueSet'] as const;
const rbac = 'rbac.authorization.k8s.io/v1';
const dra = 'resource.k8s.io/v1';

export const kinds = {
  PodCliqueSet: {
    apiVersion: grove,
    plural: 'podcliquesets',
    writes: ['patch', 'status'],
    owners: [],
    isDeciding: true,
  },
  PodClique: {
    apiVersion: grove,
    plural: 'podcliques',
    writes: all,
    owners: ['PodCliqueSet', 'PodCliqueScalingGroup'],
    isDeciding: true,
  },
  PodCliqueScalingGroup: {
    apiVersion: grove,
    plural: 'podcliquescalinggroups',
    writes: all,
    owners: ofSet,
    isDeciding: true,
  },
  PodGang: {
    apiVersion: 'scheduler.grove.io/v1alpha1',
    plural: 'podgangs',
    writes: all,
    owners: ofSet,
  },
  Pod: {
    apiVersion: core,
    plural: 'pods',
    managedBy,
    writes: allButStatus,
    owners: ['PodClique'],
    alsoLabelled: 'grove.io/podclique',
    isDeciding: true,
  },
  Service: {
    apiVersion: core,
    plural: 'services',
    managedBy,
    writes: allButStatus,
    owners: ofSet,
  },
  ServiceAccount: {
    apiVersion: core,
    plural: 'serviceaccounts',
    managedBy,
    writes: allButStatus,
    owners: ofSet,
  },
  Secret: {
    apiVersion: core,
    plural: 'secrets',
    managedBy,
    writes: ['create', 'delete'],
    owners: ofSet,
    isUnwatched: true,
  },
  Role: {
    apiVersion: rbac,
    plural: 'roles',
    managedBy,
    writes: ['create', 'delete'],
    owners: ofSet,
  },
  RoleBinding: {
    apiVersion: rbac,
    plural: 'rolebindings',
    managedBy,
    writes: ['create', 'delete'],
    owners: ofSet,
  },
  HorizontalPodAutoscaler: {
    apiVersion: 'autoscaling/v2',
    plural: 'horizontalpodautoscalers',
    managedBy,
    writes: allButStatus,
    owners: ofSet,
  },
  ComputeDomain: {
    apiVersion: 'resource.nvidia.com/v1beta1',
    plural: 'computedomains',
    writes: allButStatus,
    owners: ofSet,
    isOptional: true,
    feature: 'computeDomains',
  },
  ResourceClaim: {
    apiVersion: dra,
    plural: 'resourceclaims',
    managedBy,
    writes: allButStatus,
    owners: ['PodCliqueSet', 'PodCliqueScalingGroup', 'PodClique'],
    isOptional: true,
  },
  ResourceClaimTemplate: {
    apiVersion: dra,
    plural: 'resourceclaimtemplates',
    writes: [],
    owners: [],
    isOptional: true,
  },
  ClusterTopologyBinding: {
    apiVersion: grove,
    plural: 'clustertopologybindings',
    writes: ['status'],
    owners: [],
    isClusterScoped: true,
  },
  Topology: {
    apiVersion: 'kai.scheduler/v1alpha1',
    plural: 'topologies',
    writes: ['create', 'delete'],
    owners: ['ClusterTopologyBinding'],
    isClusterScoped: true,
    backend: 'kai-scheduler',
  },
  KaiPodGroup: {
    apiVersion: 'scheduling.run.ai/v2alpha2',
    kind: 'PodGroup',
    plural: 'podgroups',
    managedBy,
    writes: allButStatus,
    owners: ['PodGang'],
    backend: 'kai-scheduler',
  },
  VolcanoPodGroup: {
    apiVersion: 'scheduling.volcano.sh/v1beta1',
    kind: 'PodGroup',
    plural: 'podgroups',
    managedBy,
    writes: allButStatus,
    owners: ['PodGang'],
    backend: 'volcano',
  },
} as const satisfies Record<string, KindRow>;

export type Kind = keyof typeof kinds;

const rowOf = (kind: Kind): KindRow => kinds[kind];

/** What the API calls the kind, in objects and references. */
export const apiKind = (kind: Kind): string => rowOf(kind).kind ?? kind;

export const isClusterScoped = (kind: Kind): boolean => rowOf(kind).isClusterScoped === true;

/** Kinds whose objects are observed. */
export type WatchedKind = Exclude<Kind, 'Secret'>;

export const isWatched = (kind: Kind): kind is WatchedKind => rowOf(kind).isUnwatched !== true;

/** The scheduler backend that an object of this kind is for, if it is for one. */
export const backendOf = (kind: Kind): SchedulerBackend | undefined => rowOf(kind).backend;

/** The part of the configuration that an object of this kind is for, if it is for one. */
export const featureOf = (kind: Kind): Feature | undefined => rowOf(kind).feature;

/** True where the cluster may not serve the kind, which then counts as no objects. */
export const mayBeMissing = (kind: Kind): boolean =>
  rowOf(kind).isOptional === true || backendOf(kind) !== undefined;

/** The value of `app.kubernetes.io/managed-by` of those that are listed and watched; undefined:
 *  all are. */
export const managerOf = (kind: Kind): string | undefined => rowOf(kind).managedBy;

const names = Object.keys(kinds).filter((name): name is Kind => Object.hasOwn(kinds, name));

/** Kinds that are listed anew at a take-over. */
export const decidingKinds: readonly Kind[] = names.filter(
  (kind) => rowOf(kind).isDeciding === true,
);

/** The kinds that have a life, so an actor each. Lower case, as in subjects and metrics. */
export const actorKinds = {
  podcliqueset: 'PodCliqueSet',
  podclique: 'PodClique',
  scalinggroup: 'PodCliqueScalingGroup',
  podgang: 'PodGang',
  topologybinding: 'ClusterTopologyBinding',
} as const satisfies Record<string, Kind>;

export type ActorKind = keyof typeof actorKinds;
