// The topology that the constraints of a PodCliqueSet speak of, as its actor knows it: announced
// with the ClusterTopologyBinding of that name, and judged for status and `why` (spec controllers
// 2.3).
import type { Condition } from '../conditions.ts';
import { canonical } from '../hash.ts';
import { maxNamed } from '../limits.ts';
import type { Level } from '../topologybinding/facts.ts';
import type { SetContext } from './context.ts';
import type { SetFact } from './facts.ts';

/** Undefined levels: there is no binding of that name. */
export interface Topology {
  /** Empty where no constraint names one. */
  readonly name: string;
  readonly levels: readonly Level[] | undefined;
}

/** Undefined where placement by topology is switched off. */
export const topologyOf = (
  { settings, topologies }: SetContext,
  set: SetFact,
): Topology | undefined =>
  settings.isTopologyAware
    ? { name: set.topologyName, levels: topologies.get(set.topologyName)?.levels }
    : undefined;

/** Changes exactly when the PodGangs of the set may have to. */
export const topologyKey = (context: SetContext, set: SetFact): string =>
  set.domains.length === 0 ? '' : canonical(topologyOf(context, set)?.levels ?? null);

export const levelsType = 'TopologyLevelsUnavailable';

/** The condition on the levels; undefined: there is to be none. */
export function levelsCondition(context: SetContext, set: SetFact): Condition | undefined {
  const topology = topologyOf(context, set);
  if (topology === undefined && set.domains.length === 0) return undefined;
  return {
    type: levelsType,
    ...judged(topology, set.domains),
    observedGeneration: set.generation,
  };
}

type Judgement = Pick<Condition, 'status' | 'reason' | 'message'>;

/** The first case that holds. */
function judged(topology: Topology | undefined, domains: readonly string[]): Judgement {
  if (topology === undefined) {
    const message = 'Topology constraints are defined but Topology Aware Scheduling is disabled';
    return { status: 'Unknown', reason: 'TopologyAwareSchedulingDisabled', message };
  }
  const fine = { status: 'False', reason: 'AllClusterTopologyLevelsAvailable' } as const;
  if (domains.length === 0) return { ...fine, message: 'No topology constraints defined' };
  if (topology.name === '') {
    const message = 'PodCliqueSet topology constraints must include topologyName';
    return { status: 'Unknown', reason: 'TopologyNameMissing', message };
  }
  if (topology.levels === undefined) {
    const message = 'ClusterTopologyBinding resource not found';
    return { status: 'Unknown', reason: 'ClusterTopologyNotFound', message };
  }
  const missing = missingFrom(topology.levels, domains);
  if (missing.length === 0) return { ...fine, message: 'All topology levels are available' };
  const message = `Unavailable topology domains: [${named(missing).join(' ')}]`;
  return { status: 'True', reason: 'ClusterTopologyLevelsUnavailable', message };
}

/** As sorted as the domains are (10.2 gap 22). */
function missingFrom(levels: readonly Level[], domains: readonly string[]): readonly string[] {
  const known = new Set(levels.map(({ domain }) => domain));
  return domains.filter((domain) => !known.has(domain));
}

/** A condition's message is bounded by the API server. */
const named = (domains: readonly string[]): readonly string[] =>
  domains.length <= maxNamed
    ? domains
    : [...domains.slice(0, maxNamed), `and ${domains.length - maxNamed} more`];

/** What of the constraints does not reach the scheduler, and why. */
export function whyNotPlaced(context: SetContext, set: SetFact): readonly string[] {
  if (set.domains.length === 0) return [];
  const topology = topologyOf(context, set);
  const what = 'topology constraints are not passed on to the scheduler';
  if (topology === undefined) return [`${what}: topologyAwareScheduling is off`];
  if (topology.name === '') return [`${what}: none of them has a topologyName`];
  const binding = `ClusterTopologyBinding ${topology.name}`;
  if (topology.levels === undefined) return [`${what}: there is no ${binding}`];
  const missing = missingFrom(topology.levels, set.domains);
  if (missing.length === 0) return [];
  return [`${what} as far as ${binding} has no level for them: ${named(missing).join(', ')}`];
}
