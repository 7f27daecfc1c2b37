// What a simulated world is made of (world.ts): its seed, its faults, its controllers, and the
// parts that only some runs have.
import type { FaultyOptions } from '../faults/faulty-transport.ts';
import type { Rates } from '../faults/rates.ts';
import type { ControllerSet } from './controller-set.ts';

export interface WorldOptions {
  readonly seed: number;
  readonly rates: Rates;
  /** Default: one controller that owns everything. */
  readonly controllerSet?: ControllerSet;
  readonly delivery: 'direct' | 'nats';
  /** Default: topology constraints are not passed on. */
  readonly isTopologyAware?: boolean;
  /** Default: the cluster has no ComputeDomains, and none are made. */
  readonly hasDomains?: boolean;
  /** Default: the default scheduler alone. */
  readonly schedulerNames?: readonly string[];
  /** Keep the lines of the trace and of the controller's log. */
  readonly keepTrace?: boolean;
  readonly onWrite?: FaultyOptions['onWrite'];
  /** Sets are defaulted and judged by our webhooks. Default: by the schema alone. */
  readonly hasAdmission?: boolean;
}
