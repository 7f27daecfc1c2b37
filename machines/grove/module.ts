// Grove: grove.io and scheduler.grove.io, with the schedulers that place its gangs.
import type { Module } from '../module.ts';
import { podClique } from '../podclique/behaviour.ts';
import { podCliqueSet } from '../podcliqueset/behaviour.ts';
import { podGang } from '../podgang/behaviour.ts';
import { routes } from '../routes.ts';
import { scalingGroup } from '../scalinggroup/behaviour.ts';
import { topologyBinding } from '../topologybinding/behaviour.ts';
import { groveKindNames } from './kinds.ts';
import { operatorMetrics } from './metrics.ts';

export const grove: Module = {
  name: 'grove',
  kinds: groveKindNames,
  behaviours: [podCliqueSet, podClique, scalingGroup, podGang, topologyBinding],
  routes,
  operator: operatorMetrics,
};
