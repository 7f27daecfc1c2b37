// The machines that a simulated controller runs: behaviours, routes and the kinds that it watches.
// Most runs have those of Grove; cliques/ has its own.
import { type Module, withSettings } from '#machines/contract/module.ts';
import { grove } from '#machines/grove/module.ts';
import { featureOf } from '#machines/kinds.ts';
import type { Kind } from '#machines/kinds.ts';

export interface Machines extends Pick<Module, 'behaviours' | 'routes'> {
  readonly watched: readonly Kind[];
}

interface GroveOptions {
  readonly isTopologyAware: boolean;
  /** ComputeDomains are watched and made. */
  readonly hasDomains: boolean;
  readonly schedulerNames: readonly string[];
}

export function groveMachines(options: GroveOptions): Machines {
  const { isTopologyAware, hasDomains, schedulerNames } = options;
  const { behaviours } = withSettings(grove, {
    defaultSchedulerName: 'default-scheduler',
    initContainerImage: 'registry.example/grove-initc:1',
    isTopologyAware,
    makesComputeDomains: hasDomains,
    schedulerNames,
  });
  const watched = grove.routes
    .map(({ kind }) => kind)
    .filter((kind) => hasDomains || featureOf(kind) !== 'computeDomains');
  return { behaviours, routes: grove.routes, watched };
}
