// The kinds of object that Grove's behaviours read or write, with what is needed to address them.
import type { KindRow } from '../contract/kind.ts';
import { metadataAlone } from '../kubernetes/meta.ts';
import { keptOfPod } from './objects/pod.ts';
import { computeDomainKind } from '../nvidia/kinds.ts';

const core = 'v1';
const managedBy = 'grove-operator';
const grove = 'grove.io/v1alpha1';
const all = ['create', 'patch', 'delete', 'status'] as const;
const allButStatus = ['create', 'patch', 'delete'] as const;
const made = ['create', 'delete'] as const;
const ofSet = ['PodCliqueSet'] as const;
const ofSetAlone = { managedBy, writes: allButStatus, owners: ofSet } as const;
const podGroup = {
  kind: 'PodGroup',
  plural: 'podgroups',
  managedBy,
  writes: allButStatus,
  owners: ['PodGang'],
} as const;
const rbac = 'rbac.authorization.k8s.io/v1';
const dra = 'resource.k8s.io/v1';

export const groveKinds = {
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
    isNeverAlone: true,
  },
  Pod: {
    apiVersion: core,
    plural: 'pods',
    managedBy,
    writes: allButStatus,
    owners: ['PodClique'],
    alsoLabelled: 'grove.io/podclique',
    keeps: keptOfPod,
    isDeciding: true,
  },
  Service: { ...ofSetAlone, apiVersion: core, plural: 'services' },
  ServiceAccount: { ...ofSetAlone, apiVersion: core, plural: 'serviceaccounts' },
  Secret: {
    ...ofSetAlone,
    apiVersion: core,
    plural: 'secrets',
    writes: made,
    keeps: metadataAlone,
    isUnwatched: true,
  },
  Role: { ...ofSetAlone, apiVersion: rbac, plural: 'roles', writes: made },
  RoleBinding: { ...ofSetAlone, apiVersion: rbac, plural: 'rolebindings', writes: made },
  HorizontalPodAutoscaler: {
    ...ofSetAlone,
    apiVersion: 'autoscaling/v2',
    plural: 'horizontalpodautoscalers',
  },
  ComputeDomain: computeDomainKind,
  ResourceClaim: {
    apiVersion: dra,
    plural: 'resourceclaims',
    managedBy,
    writes: allButStatus,
    owners: ['PodCliqueSet', 'PodCliqueScalingGroup', 'PodClique'],
    keeps: metadataAlone,
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
    writes: made,
    owners: ['ClusterTopologyBinding'],
    isClusterScoped: true,
    backend: 'kai-scheduler',
  },
  KaiPodGroup: {
    ...podGroup,
    apiVersion: 'scheduling.run.ai/v2alpha2',
    backend: 'kai-scheduler',
  },
  VolcanoPodGroup: {
    ...podGroup,
    apiVersion: 'scheduling.volcano.sh/v1beta1',
    backend: 'volcano',
  },
} as const satisfies Record<string, KindRow>;

export type GroveKind = keyof typeof groveKinds;

/** The kinds that have a life, by what their actors are called. */
export const groveActors = {
  podcliqueset: 'PodCliqueSet',
  podclique: 'PodClique',
  scalinggroup: 'PodCliqueScalingGroup',
  podgang: 'PodGang',
  topologybinding: 'ClusterTopologyBinding',
} as const satisfies Record<string, GroveKind>;

type Rows = Record<GroveKind, true>;
type Actors = Record<keyof typeof groveActors, true>;

declare module '../contract/kind.ts' {
  interface KindNames extends Rows {}
  interface ActorNames extends Actors {}
}
