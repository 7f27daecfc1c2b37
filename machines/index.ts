// The front door of machines/: every behaviour and every route by kind. The runtime imports from
// here and from the contracts beside it, nothing deeper.
import type { Behaviour } from './behaviour.ts';
import type { ActorKind } from './kinds.ts';
import { podClique } from './podclique/behaviour.ts';
import { podCliqueSet } from './podcliqueset/behaviour.ts';
import { podGang } from './podgang/behaviour.ts';
import { scalingGroup } from './scalinggroup/behaviour.ts';
import { topologyBinding } from './topologybinding/behaviour.ts';

export { operatorMetrics } from './grove/metrics.ts';
export { routes } from './routes.ts';

export const behaviours: Record<ActorKind, Behaviour> = {
  podcliqueset: podCliqueSet,
  podclique: podClique,
  scalinggroup: scalingGroup,
  podgang: podGang,
  topologybinding: topologyBinding,
};
