// The life of a PodGang: it collects what its PodCliques tell until all pods exist, says so once,
// and then keeps its spec right. Whether it is scheduled is told to who waits for that.
import { defineBehaviour } from '../statechart/define.ts';
import { classified, otherwise } from '../statechart/region.ts';
import { isComplete, isScheduled, reduce, startContext } from './context.ts';
import type { GangContext, GangEvent } from './context.ts';
import {
  explainPods,
  explainProblems,
  fine,
  view,
  whyComplete,
  whyTerminating,
} from './explain.ts';
import type { GangFact } from './facts.ts';
import { dropPodGroups, keepPodGroup } from './podgroup.ts';
import { initialized, writeStatus } from './status.ts';
import {
  announceErrors,
  askCliques,
  tellScheduled,
  tellFailure,
  tellUnscheduled,
  writeSpec,
} from './steps.ts';

const active = ['active'];

export const podGang = defineBehaviour<GangContext, GangFact, GangEvent>({
  kind: 'podgang',
  controller: 'podgang',
  own: { of: ({ gang }) => gang, isGone: ({ isGone }) => isGone },
  start: startContext,
  reduce,
  chart: {
    active: {
      regions: {
        /** Initialized is never taken back: the scheduler acts on it once. */
        initialization: classified({
          initialized: (_, gang) => gang.isInitialized,
          complete: (context) => isComplete(context),
          collecting: otherwise,
        }),
        /** Whether gangs that build on this one may be placed. */
        scheduling: classified({
          scheduled: (context) => isScheduled(context),
          unscheduled: otherwise,
        }),
      },
    },
  },
  steps: [
    { do: dropPodGroups, in: ['terminating'] },
    { do: askCliques, in: active },
    { do: writeSpec, in: active },
    { do: keepPodGroup, in: active },
    { do: tellScheduled, in: ['active.scheduling.scheduled'] },
    { do: tellUnscheduled, in: ['active.scheduling.unscheduled', 'terminating'] },
    { do: announceErrors, in: active },
    { do: tellFailure, in: active },
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
  hasNothing: ({ waiters, members, podGroups }) =>
    waiters.size + members.size + podGroups.size === 0,
});
