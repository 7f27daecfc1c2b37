// What others read of topologies: PodCliqueSets the levels of the binding that they name, and
// bindings the topologies of the scheduler backends that they look after or refer to.
import { entry, single, type Entry } from '../../contract/view.ts';
import type { Level, ObservedBinding, ObservedTopology } from '../objects/topologybinding.ts';

export type TopologyEvent = {
  readonly type: 'topology.read';
  readonly name: string;
  readonly topology: ObservedTopology | undefined;
};

export interface LevelsEvent {
  readonly type: 'levels.read';
  /** Undefined: there is no binding of that name. */
  readonly levels: readonly Level[] | undefined;
}

/** By name of the ClusterTopologyBinding. Its status is nobody's business but its own. */
export const topologyLevels = single<readonly Level[]>({
  name: 'topologyLevels',
  event: (_, levels): LevelsEvent => ({ type: 'levels.read', levels }),
  say: (levels) => levels.map(({ domain }) => domain).join(', '),
});

/** By name, as scheduler backends keep them. */
export const backendTopology = single<ObservedTopology>({
  name: 'backendTopology',
  isSame: (one, other) => one.uid === other.uid && one.resourceVersion === other.resourceVersion,
  event: (name, topology): TopologyEvent => ({ type: 'topology.read', name, topology }),
  say: ({ keys }) => keys.join(', '),
});

export const levelsOf = ({ name, levels }: ObservedBinding): readonly Entry[] => [
  entry(topologyLevels, name, levels),
];

export const topologyIn = (observed: ObservedTopology): readonly Entry[] => [
  entry(backendTopology, observed.name, observed),
];
