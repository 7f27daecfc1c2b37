// What Grove's behaviours depend on besides objects. The edge makes it from the configuration, and
// binds it to the module (machines/contract/module.ts).
import type { ConfiguredInput } from '../contract/behaviour.ts';

export interface GroveSettings {
  readonly defaultSchedulerName: string;
  /** Enabled scheduler backends; a pod that names another is not created (spec api 3.7, 8.4). */
  readonly schedulerNames: readonly string[];
  readonly initContainerImage: string;
  /** Topology constraints are passed on to the scheduler (spec controllers 8.3). */
  readonly isTopologyAware: boolean;
  /** False: no ComputeDomain is created; those that are there go with their replicas. */
  readonly makesComputeDomains: boolean;
  /** True: a PodCliqueSet without a start-up order gets no token Secret; absent: each gets one. */
  readonly sparesTokens?: boolean;
  /** Namespaces in which a token Secret that cannot be created is read; absent: none. */
  readonly readsSecretsIn?: readonly string[];
}

export type GroveInput = ConfiguredInput<GroveSettings>;
