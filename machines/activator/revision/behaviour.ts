// The life of a revision at this activator: which of its pods get requests. It follows the
// endpoints, has pods validated before they get any, and tells the table; the requests themselves
// never come here.
import { defineBehaviour } from '../../statechart/define.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import type { ObservedRevision } from '../objects/revision.ts';
import { podArrows, podPlaces } from '../pod/chart.ts';
import type { ActivatorInput } from '../settings.ts';
import { reduce, routableIn, startContext } from './context.ts';
import type { RevisionContext, RevisionEvent } from './context.ts';
import { explainListed, explainOpening, explainWaiting, fine, view } from './explain.ts';
import { followPods } from './follow-pods.ts';
import { servicesReadBy } from './services.ts';
import {
  askForDemand,
  awaitRecovery,
  openTable,
  releaseDrained,
  removeStale,
  setLimits,
  setPods,
  stopAdmission,
} from './steer-table.ts';
import { validatePods } from './validate-pods.ts';

const isOpening = ({ table }: RevisionContext): boolean => table === undefined;
const isAwaited = ({ table }: RevisionContext): boolean => (table?.waiting ?? 0) > 0;
const isServed = (context: RevisionContext): boolean => routableIn(context) > 0;

/** It has pods on their way up. */
const isStarting = ({ totals }: RevisionContext): boolean =>
  totals.has('pending') || totals.has('not-ready');

const serving = ['zero', 'waking', 'serving', 'overloaded'].map((name) => `active.traffic.${name}`);
const leaving = ['draining', 'drained'].map((name) => `terminating.traffic.${name}`);
const open = [...serving, ...leaving];

export const revision = defineBehaviour<
  RevisionContext,
  ObservedRevision,
  RevisionEvent,
  ActivatorInput
>({
  kind: 'revision',
  controller: 'revision',
  own: { of: (context) => context.revision, isGone: ({ isGone }) => isGone },
  start: startContext,
  reduce,
  reads: ({ services }, own) => servicesReadBy(own, services),
  chart: {
    active: {
      regions: {
        traffic: classified({
          opening: isOpening,
          overloaded: (context) => isServed(context) && isAwaited(context),
          serving: isServed,
          waking: (context) => isAwaited(context) || isStarting(context),
          zero: otherwise,
        }),
      },
    },
    terminating: {
      regions: {
        traffic: classified({
          opening: isOpening,
          draining: ({ pods }) => pods.size > 0,
          drained: otherwise,
        }),
      },
    },
  },
  steps: [
    { do: openTable, in: ['active.traffic.opening', 'terminating.traffic.opening'] },
    { do: stopAdmission, in: leaving },
    { do: setLimits, in: serving },
    { do: followPods, in: open },
    { do: setPods, in: open },
    { do: validatePods, in: serving },
    { do: awaitRecovery, in: serving },
    { do: removeStale, in: serving },
    { do: releaseDrained, in: open },
    { do: askForDemand, in: serving },
  ],
  rows: {
    pod: {
      regions: { life: { states: new Map(podPlaces.map((place) => [place, place])) } },
      arrows: podArrows,
    },
  },
  status: () => undefined,
  explain: {
    'active.traffic.opening': explainOpening,
    'active.traffic.overloaded': explainWaiting,
    'active.traffic.waking': explainWaiting,
    active: explainListed,
    'terminating.traffic.opening': explainOpening,
    terminating: () => ['it is being deleted: no request is admitted any more'],
  },
  fine,
  view,
  hasNothing: () => true,
  saysAll: true,
});
