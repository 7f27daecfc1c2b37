// The life of a PodGang: it lists the pods that its PodCliques want until all of them exist, says
// so once, and then keeps its spec right.
import { defineBehaviour } from '../../statechart/define.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import type { ObservedGang } from '../objects/podgang.ts';
import type { GroveInput } from '../settings.ts';
import { gangReads, isComplete, reduce, startContext } from './context.ts';
import type { GangContext, GangEvent } from './context.ts';
import {
  explainPods,
  explainProblems,
  fine,
  view,
  whyComplete,
  whyTerminating,
} from './explain.ts';
import { dropPodGroups, keepPodGroup } from './podgroup.ts';
import { eventReason, initialized, publishFailure, writeSpec, writeStatus } from './steps.ts';
import { announceErrorsBy } from '../failure-log.ts';

const active = ['active'];

export const podGang = defineBehaviour<GangContext, ObservedGang, GangEvent, GroveInput>({
  kind: 'podgang',
  controller: 'podgang',
  own: { of: ({ gang }) => gang, isGone: ({ isGone }) => isGone },
  start: startContext,
  reduce,
  reads: gangReads,
  chart: {
    active: {
      regions: {
        /** Initialized is never taken back: the scheduler acts on it once. */
        initialization: classified({
          initialized: (_, gang) => gang.isInitialized,
          complete: (context) => isComplete(context),
          collecting: otherwise,
        }),
      },
    },
  },
  steps: [
    { do: dropPodGroups, in: ['terminating'] },
    { do: writeSpec, in: active },
    { do: keepPodGroup, in: active },
    { do: announceErrorsBy(eventReason), in: active },
    { do: publishFailure, in: ['active', 'terminating'] },
  ],
  conditions: { Initialized: initialized },
  status: writeStatus,
  requiredStatus: { phase: 'Pending' },
  explain: {
    terminating: (_, gang) => [whyTerminating(gang)],
    active: explainProblems,
    'active.initialization.collecting': explainPods,
    'active.initialization.complete': (_, gang) => [whyComplete(gang)],
    'active.initialization.initialized': explainPods,
  },
  fine,
  view,
  hasNothing: ({ podGroups }) => podGroups.size === 0,
});
