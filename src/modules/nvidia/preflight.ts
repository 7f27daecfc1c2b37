// What the cluster must offer before the controller starts where modules.nvidia is on: the CRDs of
// ComputeDomains, and the claim templates through which pods get channels. Called by edge.ts.
import type { Kind } from '#machines/kinds.ts';
import { requireServed, type ServedOptions } from '../served.ts';

const wanted: readonly Kind[] = ['ComputeDomain', 'ComputeDomainClique', 'DomainClaimTemplate'];

/** Rejects with PrerequisiteError where one of them is not served. */
export const checkComputeDomains = (options: ServedOptions): Promise<void> =>
  requireServed(wanted, options, {
    setting: 'modules.nvidia',
    remedy:
      "apply the CRDs of the chart's subchart nvidia on a cluster with dynamic resource " +
      'allocation, or turn it off',
  });
