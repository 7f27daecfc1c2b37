// The kinds of object that the actors of ComputeDomains read or write, with what is needed to
// address them. Of pods, nodes and claim templates only those with the label of a domain.
import type { KindRow } from '../contract/kind.ts';
import { metadataAlone } from '../kubernetes/meta.ts';
import { keptOfDaemon } from './objects/daemon-pod.ts';
import { domainLabel as labelled } from './objects/labels.ts';

const nvidia = 'resource.nvidia.com/v1beta1';

/** Grove makes such objects too, and shares the row. */
export const computeDomainKind = {
  apiVersion: nvidia,
  plural: 'computedomains',
  writes: ['create', 'patch', 'delete', 'status'],
  owners: ['PodCliqueSet'],
  isOptional: true,
  feature: 'computeDomains',
} as const satisfies KindRow;

export const nvidiaKinds = {
  ComputeDomain: computeDomainKind,
  ComputeDomainClique: {
    apiVersion: nvidia,
    plural: 'computedomaincliques',
    writes: ['create', 'patch', 'delete'],
    owners: [],
    isDeciding: true,
  },
  DaemonPod: {
    apiVersion: 'v1',
    kind: 'Pod',
    plural: 'pods',
    labelled,
    writes: ['delete'],
    owners: [],
    keeps: keptOfDaemon,
    isDeciding: true,
  },
  DomainDaemonSet: {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    plural: 'daemonsets',
    labelled,
    writes: ['create', 'patch', 'delete'],
    owners: [],
    keeps: metadataAlone,
  },
  DomainClaimTemplate: {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaimTemplate',
    plural: 'resourceclaimtemplates',
    labelled,
    writes: ['create', 'patch', 'delete'],
    owners: [],
    keeps: metadataAlone,
  },
  DomainNode: {
    apiVersion: 'v1',
    kind: 'Node',
    plural: 'nodes',
    labelled,
    writes: ['patch'],
    owners: [],
    isClusterScoped: true,
    keeps: metadataAlone,
  },
} as const satisfies Record<string, KindRow>;

type NvidiaKind = keyof typeof nvidiaKinds;

/** The kinds that have a life, by what their actors are called. */
export const nvidiaActors = {
  computedomain: 'ComputeDomain',
  clique: 'ComputeDomainClique',
  domaindaemonset: 'DomainDaemonSet',
  domainclaimtemplate: 'DomainClaimTemplate',
  domainnode: 'DomainNode',
} as const satisfies Record<string, NvidiaKind>;

declare module '../contract/kind.ts' {
  interface KindNames extends Record<NvidiaKind, true> {}
  interface ActorNames extends Record<keyof typeof nvidiaActors, true> {}
}
