// The topology that the constraints of a PodCliqueSet speak of, as its actor knows it: it reads the
// levels of the ClusterTopologyBinding of that name, and judges them for status and `why` (spec
// controllers 2.3).
import type { ConditionReason } from '../../contract/condition-reasons.ts';
import { maxNamed } from '../../contract/limits.ts';
import { canonical } from '../../kubernetes/hash.ts';
import type { ConditionRows } from '../../statechart/define.ts';
import { classified, otherwise, type Rule } from '../../statechart/region.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';
import { topologyOf, type Query, type SetContext } from './context.ts';

/** Changes exactly when the PodGangs of the set may have to. */
export const topologyKey: Query<string> = (context, set) =>
  set.domains.length === 0 ? '' : canonical(topologyOf(context, set)?.levels ?? null);

export const levelsType = 'TopologyLevelsUnavailable';

type In = (context: SetContext, set: ObservedSet) => boolean;

const isDisabled: In = (context, set) => topologyOf(context, set) === undefined;
const isUnconstrained: In = (_, { domains }) => domains.length === 0;
const isNameless: In = (context, set) => topologyOf(context, set)?.name === '';
const isNotFound: In = (context, set) => topologyOf(context, set)?.levels === undefined;

/** How the constraints of the set stand. Ignored: there are none, and none would be passed on. */
export const topologyRegion = classified<SetContext, ObservedSet>({
  ignored: (context, set) => isDisabled(context, set) && isUnconstrained(context, set),
  disabled: isDisabled,
  unconstrained: isUnconstrained,
  nameless: isNameless,
  notFound: isNotFound,
  unavailable: (context, set) => missingLevels(context, set).length > 0,
  available: otherwise,
});

const fine = { status: 'False', reason: 'AllClusterTopologyLevelsAvailable' } as const;
const unknown = (reason: ConditionReason, message: string) =>
  ({ status: 'Unknown', reason, message: () => message }) as const;

export const levelsUnavailable: ConditionRows<SetContext, ObservedSet> = {
  region: 'topology',
  rows: {
    ignored: undefined,
    disabled: unknown(
      'TopologyAwareSchedulingDisabled',
      'Topology constraints are defined but Topology Aware Scheduling is disabled',
    ),
    unconstrained: { ...fine, message: () => 'No topology constraints defined' },
    nameless: unknown(
      'TopologyNameMissing',
      'PodCliqueSet topology constraints must include topologyName',
    ),
    notFound: unknown('ClusterTopologyNotFound', 'ClusterTopologyBinding resource not found'),
    unavailable: {
      status: 'True',
      reason: 'ClusterTopologyLevelsUnavailable',
      message: (context, set) =>
        `Unavailable topology domains: [${named(missingLevels(context, set)).join(' ')}]`,
    },
    available: { ...fine, message: () => 'All topology levels are available' },
  },
};

/** As sorted as the domains are (10.2 gap 22). */
function missingLevels(context: SetContext, set: ObservedSet): readonly string[] {
  const levels = topologyOf(context, set)?.levels ?? [];
  const known = new Set(levels.map(({ domain }) => domain));
  return set.domains.filter((domain) => !known.has(domain));
}

/** A condition's message is bounded by the API server. */
const named = (domains: readonly string[]): readonly string[] =>
  domains.length <= maxNamed
    ? domains
    : [...domains.slice(0, maxNamed), `and ${domains.length - maxNamed} more`];

const what = 'topology constraints are not passed on to the scheduler';
const bindingOf = ({ topologyName }: ObservedSet): string =>
  `ClusterTopologyBinding ${topologyName}`;

/** What of the constraints does not reach the scheduler, and why, by state. */
export const explainTopology: Readonly<
  Record<string, Rule<SetContext, ObservedSet, readonly string[]>>
> = {
  'active.topology.disabled': () => [`${what}: topologyAwareScheduling is off`],
  'active.topology.nameless': () => [`${what}: none of them has a topologyName`],
  'active.topology.notFound': (_, set) => [`${what}: there is no ${bindingOf(set)}`],
  'active.topology.unavailable': (context, set) => {
    const missing = named(missingLevels(context, set)).join(', ');
    return [`${what} as far as ${bindingOf(set)} has no level for them: ${missing}`];
  },
};
