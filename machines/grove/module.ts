// Grove: grove.io and scheduler.grove.io, with the schedulers that place its gangs.
import { namesOf, type Module, type OperatorMetrics } from '../contract/module.ts';
import { groveConditions } from './condition-reasons.ts';
import { groveEvents } from './events.ts';
import { groveKinds } from './kinds.ts';
import { podClique } from './podclique/behaviour.ts';
import { podCliqueSet } from './podcliqueset/behaviour.ts';
import { podGang } from './podgang/behaviour.ts';
import { routes } from './routes/table.ts';
import { scalingGroup } from './scalinggroup/behaviour.ts';
import type { GroveInput } from './settings.ts';
import { topologyBinding } from './topologybinding/behaviour.ts';
import { claimTemplate, setTemplate, sharingTemplate } from './views/claim-template.ts';
import { gangFailures, gangTemplate, wantedPods } from './views/gang-template.ts';
import { gangDependents, gangScheduling } from './views/gang-scheduling.ts';
import { rollout, rolloutTurn } from './views/rollout.ts';
import { groupTermination } from './views/termination.ts';
import { backendTopology, topologyLevels } from './views/topology.ts';

/** The metrics that Grove proposes for its operator, under its names and with its labels, so that
 *  its dashboards work. src/metrics has the families; docs/metrics.md lists them. */
const operatorMetrics: OperatorMetrics = {
  source: 'Grove',
  statusConflicts: 'grove_operator_status_update_conflict_total',
  reconcileErrors: 'grove_operator_reconcile_errors_total',
  controllers: [
    'podcliqueset-controller',
    'podclique-controller',
    'podcliquescalinggroup-controller',
  ],
  kinds: ['PodCliqueSet', 'PodClique', 'PodCliqueScalingGroup'],
};

export const grove: Module<GroveInput> = {
  name: 'grove',
  kinds: namesOf(groveKinds),
  behaviours: [podCliqueSet, podClique, scalingGroup, podGang, topologyBinding],
  routes,
  views: [
    rollout,
    rolloutTurn,
    gangScheduling,
    gangDependents,
    gangTemplate,
    gangFailures,
    groupTermination,
    wantedPods,
    setTemplate,
    sharingTemplate,
    claimTemplate,
    topologyLevels,
    backendTopology,
  ],
  events: groveEvents,
  conditions: groveConditions,
  operator: operatorMetrics,
};
