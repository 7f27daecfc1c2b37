// What the rules of admission look at besides the object: the parts of the configuration that
// decide what is allowed, and what had to be looked up in the cluster. The webhooks gather it
// first, so that every rule is a pure function.

export interface AdmissionSettings {
  /** The scheduler of pods that name none. */
  readonly defaultSchedulerName: string;
  /** Enabled backends; `default-scheduler` is always one of them. */
  readonly schedulerNames: readonly string[];
  /** Topology-aware scheduling is on. */
  readonly topologyAware: boolean;
  /** ComputeDomains are made for MNNVL groups. */
  readonly autoMnnvl: boolean;
}

/** What a lookup by name tells. */
export type Looked<There> =
  | ({ readonly is: 'there' } & Readonly<There>)
  | { readonly is: 'missing' }
  | { readonly is: 'unknown'; readonly why: string };

/** A ClusterTopologyBinding: the domains of its levels, broadest first. */
export type FoundBinding = Looked<{ domains: readonly string[] }>;

/** A Volcano Queue. */
export type FoundQueue = Looked<{ state: string }>;

/** By name; what no rule asks for is absent. */
export interface Found {
  readonly bindings?: Readonly<Record<string, FoundBinding>>;
  readonly queues?: Readonly<Record<string, FoundQueue>>;
}
