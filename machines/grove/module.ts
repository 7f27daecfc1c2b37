// Grove: grove.io and scheduler.grove.io, with the schedulers that place its gangs.
import { namesOf } from '../module.ts';
import type { Module } from '../module.ts';
import { podClique } from '../podclique/behaviour.ts';
import { podCliqueSet } from '../podcliqueset/behaviour.ts';
import { podGang } from '../podgang/behaviour.ts';
import { routes } from '../routes.ts';
import { scalingGroup } from '../scalinggroup/behaviour.ts';
import { topologyBinding } from '../topologybinding/behaviour.ts';
import { groveKinds } from './kinds.ts';
import { operatorMetrics } from './metrics.ts';

export const grove: Module = {
  name: 'grove',
  kinds: namesOf(groveKinds),
  behaviours: [podCliqueSet, podClique, scalingGroup, podGang, topologyBinding],
  routes,
  operator: operatorMetrics,
};
