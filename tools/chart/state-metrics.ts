// What kube-state-metrics is to tell of every kind that we serve, as one table: the configuration
// that it reads (state-metrics-file.ts) and the page about it come from here.
type Path = readonly string[];

export interface StateMetric {
  /** After the prefix of its kind. */
  readonly name: string;
  readonly help: string;
  /** Each element of a list has a series of its own. */
  readonly path: Path;
  /** From the path to the value: a number, a time, or "True"; absent: the path itself. */
  readonly valueFrom?: Path;
  /** By name, from the path on. */
  readonly labels?: Readonly<Record<string, Path>>;
  /** One series for each of these texts, 1 for the one that is; `labelName` names it. */
  readonly states?: { readonly labelName: string; readonly list: readonly string[] };
  /** Always 1: what matters are the labels. */
  readonly isInfo?: true;
}

export interface StateKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Of every series, besides namespace and name. */
  readonly labels?: Readonly<Record<string, Path>>;
  readonly metrics: readonly StateMetric[];
}

const created: StateMetric = {
  name: 'created',
  help: 'Unix time of creation',
  path: ['metadata', 'creationTimestamp'],
};

const deleted: StateMetric = {
  name: 'deletion_timestamp',
  help: 'Unix time at which it was deleted; it waits for finalizers since',
  path: ['metadata', 'deletionTimestamp'],
};

const conditions: StateMetric = {
  name: 'status_condition',
  help: '1 where the condition is True',
  path: ['status', 'conditions'],
  labels: { condition: ['type'], reason: ['reason'] },
  valueFrom: ['status'],
};

/** Which generation of the spec the status is about. */
const generations: readonly StateMetric[] = [
  {
    name: 'metadata_generation',
    help: 'Generation of the spec',
    path: ['metadata', 'generation'],
  },
  {
    name: 'status_observed_generation',
    help: 'Generation of the spec that the status is about',
    path: ['status', 'observedGeneration'],
  },
];

const wanted = (help: string): StateMetric => ({
  name: 'spec_replicas',
  help,
  path: ['spec', 'replicas'],
});

const count = (name: string, field: string, help: string): StateMetric => ({
  name: `status_${name}`,
  help,
  path: ['status', field],
});

const minAvailable = (help: string): StateMetric => ({
  name: 'spec_min_available',
  help,
  path: ['spec', 'minAvailable'],
});

const ofSet = { podcliqueset: ['metadata', 'labels', 'app.kubernetes.io/part-of'] };

const grove: readonly StateKind[] = [
  {
    group: 'grove.io',
    version: 'v1alpha1',
    kind: 'PodCliqueSet',
    metrics: [
      created,
      deleted,
      ...generations,
      wanted('Replicas that are wanted'),
      count('replicas', 'replicas', 'Replicas that there are'),
      count('replicas_available', 'availableReplicas', 'Replicas that are available'),
      count('replicas_updated', 'updatedReplicas', 'Replicas of the newest template'),
      conditions,
    ],
  },
  {
    group: 'grove.io',
    version: 'v1alpha1',
    kind: 'PodClique',
    labels: ofSet,
    metrics: [
      created,
      deleted,
      ...generations,
      wanted('Pods that are wanted'),
      minAvailable('Pods below which the gang is broken'),
      count('replicas', 'replicas', 'Pods that there are'),
      count('replicas_ready', 'readyReplicas', 'Pods that are ready'),
      count('replicas_scheduled', 'scheduledReplicas', 'Pods that have a node'),
      count('replicas_gated', 'scheduleGatedReplicas', 'Pods that wait at a scheduling gate'),
      count('replicas_updated', 'updatedReplicas', 'Pods of the newest template'),
      conditions,
    ],
  },
  {
    group: 'grove.io',
    version: 'v1alpha1',
    kind: 'PodCliqueScalingGroup',
    labels: ofSet,
    metrics: [
      created,
      deleted,
      ...generations,
      wanted('Replicas that are wanted'),
      minAvailable('Replicas below which the gang is broken'),
      count('replicas', 'replicas', 'Replicas that there are'),
      count('replicas_available', 'availableReplicas', 'Replicas that are available'),
      count('replicas_scheduled', 'scheduledReplicas', 'Replicas whose pods have nodes'),
      count('replicas_updated', 'updatedReplicas', 'Replicas of the newest template'),
      conditions,
    ],
  },
  {
    group: 'scheduler.grove.io',
    version: 'v1alpha1',
    kind: 'PodGang',
    labels: ofSet,
    metrics: [
      created,
      deleted,
      {
        name: 'status_phase',
        help: '1 for the phase that it is in',
        path: ['status', 'phase'],
        states: { labelName: 'phase', list: ['Pending', 'Starting', 'Running'] },
      },
      conditions,
    ],
  },
];

const agentSandbox: readonly StateKind[] = [
  {
    group: 'agents.x-k8s.io',
    version: 'v1beta1',
    kind: 'Sandbox',
    metrics: [
      created,
      deleted,
      {
        name: 'spec_operating_mode',
        help: '1 for the mode that is wanted',
        path: ['spec', 'operatingMode'],
        states: { labelName: 'mode', list: ['Running', 'Suspended'] },
      },
      {
        name: 'spec_shutdown_time',
        help: 'Unix time at which it is shut down',
        path: ['spec', 'shutdownTime'],
      },
      conditions,
    ],
  },
  {
    group: 'extensions.agents.x-k8s.io',
    version: 'v1beta1',
    kind: 'SandboxClaim',
    labels: { warm_pool: ['spec', 'warmPoolRef', 'name'] },
    metrics: [
      created,
      deleted,
      {
        name: 'status_sandbox_info',
        help: 'Which Sandbox it has',
        path: ['status', 'sandbox'],
        labels: { sandbox: ['name'] },
        isInfo: true,
      },
      conditions,
    ],
  },
  {
    group: 'extensions.agents.x-k8s.io',
    version: 'v1beta1',
    kind: 'SandboxWarmPool',
    labels: { template: ['spec', 'sandboxTemplateRef', 'name'] },
    metrics: [
      created,
      deleted,
      ...generations,
      wanted('Sandboxes that are to be kept warm'),
      count('replicas', 'replicas', 'Sandboxes that there are'),
      count('replicas_ready', 'readyReplicas', 'Sandboxes that are ready'),
      conditions,
    ],
  },
  {
    group: 'extensions.agents.x-k8s.io',
    version: 'v1beta1',
    kind: 'SandboxTemplate',
    metrics: [
      created,
      deleted,
      {
        name: 'spec_network_policy_management',
        help: '1 for whether a NetworkPolicy is kept for its Sandboxes',
        path: ['spec', 'networkPolicyManagement'],
        states: { labelName: 'management', list: ['Managed', 'Unmanaged'] },
      },
    ],
  },
];

const readiness = { labelName: 'status', list: ['Ready', 'NotReady'] };

const nvidia: readonly StateKind[] = [
  {
    group: 'resource.nvidia.com',
    version: 'v1beta1',
    kind: 'ComputeDomain',
    metrics: [
      created,
      deleted,
      {
        name: 'spec_nodes',
        help: 'Nodes that are wanted',
        path: ['spec', 'numNodes'],
      },
      {
        name: 'status',
        help: '1 for the status that it has',
        path: ['status', 'status'],
        states: readiness,
      },
      {
        name: 'status_node',
        help: '1 for the status that a node of it has',
        path: ['status', 'nodes'],
        labels: { node: ['name'], clique: ['cliqueID'] },
        valueFrom: ['status'],
        states: readiness,
      },
    ],
  },
  {
    group: 'resource.nvidia.com',
    version: 'v1beta1',
    kind: 'ComputeDomainClique',
    metrics: [
      created,
      deleted,
      {
        name: 'daemon_status',
        help: '1 for the status that a daemon of it has',
        path: ['daemons'],
        labels: { node: ['nodeName'], clique: ['cliqueID'] },
        valueFrom: ['status'],
        states: readiness,
      },
    ],
  },
];

export const stateKinds: readonly StateKind[] = [...grove, ...agentSandbox, ...nvidia];

export const prefixOf = ({ kind }: StateKind): string => `kube_${kind.toLowerCase()}`;
