// What the actors of agent-sandbox depend on besides objects: the original's flags, as the
// configuration has them (docs/agent-sandbox.md has the table).
import type { ConfiguredInput } from '../contract/behaviour.ts';

export interface AgentSandboxSettings {
  /** Of DNS names: `cluster.local`. */
  readonly clusterDomain: string;
  /** Where the router runs, to which the default NetworkPolicy of a template gives access. */
  readonly routerNamespace: string;
  /** For so long a write of metadata to a pod that is there may wait; 0 to 1,000. */
  readonly writeBehindMs: number;
  readonly warmPool: {
    /** Members that are created or deleted in one reconcile. */
    readonly maxBatchSize: number;
    /** After members were taken, nothing is created for so long; 0: at once. */
    readonly replenishDelayMs: number;
    /** Members a second; 0: no limit. */
    readonly maxRefillRate: number;
    /** A member that is not ready for longer is replaced, unless it cannot be scheduled. */
    readonly readinessGraceMs: number;
    readonly unschedulableRecheckMs: number;
    /** Members may be evicted by the cluster autoscaler. */
    readonly isEvictable: boolean;
  };
  readonly claims: {
    readonly hasEvents: boolean;
    /** Annotations that say when a claim was seen and when it was ready first. */
    readonly hasObservability: boolean;
    /** Domains of labels that claims may put on pods. */
    readonly labelDomains: readonly string[];
  };
}

export type AgentSandboxInput = ConfiguredInput<AgentSandboxSettings>;
