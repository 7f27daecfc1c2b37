// Grove: grove.io and scheduler.grove.io, with the schedulers that place its gangs.
import { claimTemplate } from '../claims/facts.ts';
import { namesOf } from '../module.ts';
import type { Module } from '../module.ts';
import { podClique } from '../podclique/behaviour.ts';
import { wantedPods } from '../podclique/wanted-pods.ts';
import { podCliqueSet } from '../podcliqueset/behaviour.ts';
import { setTemplate, sharingTemplate } from '../podcliqueset/template-view.ts';
import { podGang } from '../podgang/behaviour.ts';
import { gangFailures } from '../podgang/failure.ts';
import { gangScheduling, gangWaiters } from '../podgang/scheduling.ts';
import { gangTemplate } from '../podgang/template.ts';
import { routes } from '../routes.ts';
import { scalingGroup } from '../scalinggroup/behaviour.ts';
import { topologyBinding } from '../topologybinding/behaviour.ts';
import { backendTopology, topologyLevels } from '../topologybinding/views.ts';
import { groveKinds } from './kinds.ts';
import { operatorMetrics } from './metrics.ts';
import type { GroveInput } from './settings.ts';

export const grove: Module<GroveInput> = {
  name: 'grove',
  kinds: namesOf(groveKinds),
  behaviours: [podCliqueSet, podClique, scalingGroup, podGang, topologyBinding],
  routes,
  views: [
    gangScheduling,
    gangWaiters,
    gangTemplate,
    gangFailures,
    wantedPods,
    setTemplate,
    sharingTemplate,
    claimTemplate,
    topologyLevels,
    backendTopology,
  ],
  operator: operatorMetrics,
};
