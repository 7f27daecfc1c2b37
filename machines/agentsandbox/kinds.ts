// The kinds of object that the actors of agent-sandbox read or write, with what is needed to
// address them. Pods, Services and PVCs come twice: those of a Sandbox, and those that one may take
// over.
import type { KindRow } from '../contract/kind.ts';
import { keptOfPod, keptOfPolicy, keptOfService } from './objects/kept.ts';
import { metadataAlone } from '../kubernetes/meta.ts';
import { extensionsGroup, group, label } from './objects/labels.ts';

const core = `${group}/v1beta1`;
const ofExtensions = {
  apiVersion: `${extensionsGroup}/v1beta1`,
  feature: 'sandboxExtensions',
} as const;

const pod = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', keeps: keptOfPod } as const;
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  plural: 'services',
  keeps: keptOfService,
} as const;
const volume = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  keeps: metadataAlone,
} as const;

export const agentSandboxKinds = {
  Sandbox: {
    apiVersion: core,
    plural: 'sandboxes',
    writes: ['create', 'patch', 'delete', 'status'],
    owners: ['SandboxWarmPool', 'SandboxClaim'],
    isDeciding: true,
  },
  SandboxTemplate: {
    ...ofExtensions,
    plural: 'sandboxtemplates',
    writes: ['patch'],
    owners: [],
    isDeciding: true,
  },
  SandboxClaim: {
    ...ofExtensions,
    plural: 'sandboxclaims',
    writes: ['patch', 'delete', 'status'],
    owners: [],
    isDeciding: true,
    isAwaited: true,
  },
  SandboxWarmPool: {
    ...ofExtensions,
    plural: 'sandboxwarmpools',
    writes: ['status'],
    owners: [],
    isDeciding: true,
  },
  SandboxPod: {
    ...pod,
    labelled: label.sandboxNameHash,
    writes: ['create', 'patch', 'delete'],
    owners: ['Sandbox'],
    isDeciding: true,
  },
  AdoptablePod: { ...pod, labelled: label.adoptable, writes: [], owners: [] },
  SandboxService: {
    ...service,
    labelled: label.sandboxNameHash,
    writes: ['create', 'patch', 'delete'],
    owners: ['Sandbox'],
  },
  AdoptableService: { ...service, labelled: label.adoptable, writes: [], owners: [] },
  SandboxVolume: {
    ...volume,
    labelled: label.sandboxNameHash,
    writes: ['create', 'patch'],
    owners: ['Sandbox'],
  },
  AdoptableVolume: { ...volume, labelled: label.adoptable, writes: [], owners: [] },
  TemplatePolicy: {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    plural: 'networkpolicies',
    keeps: keptOfPolicy,
    feature: 'sandboxExtensions',
    writes: ['create', 'patch', 'delete'],
    owners: ['SandboxTemplate'],
  },
} as const satisfies Record<string, KindRow>;

type AgentSandboxKind = keyof typeof agentSandboxKinds;

/** The kinds that have a life, by what their actors are called. */
export const agentSandboxActors = {
  sandbox: 'Sandbox',
  sandboxtemplate: 'SandboxTemplate',
  sandboxclaim: 'SandboxClaim',
  sandboxwarmpool: 'SandboxWarmPool',
} as const satisfies Record<string, AgentSandboxKind>;

declare module '../contract/kind.ts' {
  interface KindNames extends Record<AgentSandboxKind, true> {}
  interface ActorNames extends Record<keyof typeof agentSandboxActors, true> {}
}
