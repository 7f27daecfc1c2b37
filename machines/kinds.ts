// The kinds of object that Coppice reads or writes, with what is needed to address them.
// Everyone who builds a path, a reference or a subject takes it from here.

interface KindRow {
  readonly apiVersion: string;
  readonly plural: string;
  /** Cached with the label selector of managed objects only (spec controllers 0.6). */
  readonly managedOnly: boolean;
}

const core = 'v1';
const grove = 'grove.io/v1alpha1';
const rbac = 'rbac.authorization.k8s.io/v1';

export const kinds = {
  PodCliqueSet: { apiVersion: grove, plural: 'podcliquesets', managedOnly: false },
  PodClique: { apiVersion: grove, plural: 'podcliques', managedOnly: false },
  PodCliqueScalingGroup: {
    apiVersion: grove,
    plural: 'podcliquescalinggroups',
    managedOnly: false,
  },
  PodGang: { apiVersion: 'scheduler.grove.io/v1alpha1', plural: 'podgangs', managedOnly: false },
  Pod: { apiVersion: core, plural: 'pods', managedOnly: true },
  Service: { apiVersion: core, plural: 'services', managedOnly: true },
  ServiceAccount: { apiVersion: core, plural: 'serviceaccounts', managedOnly: true },
  Secret: { apiVersion: core, plural: 'secrets', managedOnly: true },
  Role: { apiVersion: rbac, plural: 'roles', managedOnly: true },
  RoleBinding: { apiVersion: rbac, plural: 'rolebindings', managedOnly: true },
  HorizontalPodAutoscaler: {
    apiVersion: 'autoscaling/v2',
    plural: 'horizontalpodautoscalers',
    managedOnly: true,
  },
} as const satisfies Record<string, KindRow>;

export type Kind = keyof typeof kinds;

/** The kinds that have a life, so an actor each. Lower case, as in subjects and metrics. */
export const actorKinds = {
  podcliqueset: 'PodCliqueSet',
  podclique: 'PodClique',
  scalinggroup: 'PodCliqueScalingGroup',
  podgang: 'PodGang',
} as const satisfies Record<string, Kind>;

export type ActorKind = keyof typeof actorKinds;
