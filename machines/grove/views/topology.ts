// What others read of topologies: PodCliqueSets the levels of the binding that they name, and
// bindings the topologies of the scheduler backends that they look after or refer to.
import { entry, single, type Entry, type Read } from '../../contract/view.ts';
import type { Level, ObservedBinding, ObservedTopology } from '../objects/topologybinding.ts';

export type TopologyEvent = Read<'backendTopology', ObservedTopology>;

export type LevelsEvent = Read<'topologyLevels', readonly Level[]>;

/** By name of the ClusterTopologyBinding. Its status is nobody's business but its own. */
export const topologyLevels = single<readonly Level[]>({
  name: 'topologyLevels',
  say: (levels) => levels.map(({ domain }) => domain).join(', '),
});

/** By name, as scheduler backends keep them. */
export const backendTopology = single<ObservedTopology>({
  name: 'backendTopology',
  isSame: (one, other) => one.uid === other.uid && one.resourceVersion === other.resourceVersion,
  say: ({ keys }) => keys.join(', '),
});

export const levelsOf = ({ name, levels }: ObservedBinding): readonly Entry[] => [
  entry(topologyLevels, name, levels),
];

export const topologyIn = (observed: ObservedTopology): readonly Entry[] => [
  entry(backendTopology, observed.name, observed),
];
