// The life of a PodClique: its chart, the steps of each state in the order in which they run, and
// what people are told of it. Events are reduced as they come; a reconcile says everything anew,
// since the runtime drops what is under way.
import {
  announceLoss,
  awaitPods,
  eventReason,
  forgetLoss,
  publishLeaving,
  publishPods,
} from './steps/announce.ts';
import { defineBehaviour } from '../../statechart/define.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import { announceErrorsBy, sayErrors } from '../../contract/failure-log.ts';
import { ensureFinalizer } from '../finalizer.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import type { GroveInput } from '../settings.ts';
import { breached, scheduled } from './conditions.ts';
import { livePods, startContext, type CliqueContext, type Query } from './context.ts';
import { explainBreach, fine, view, whyTerminating } from './explain.ts';
import { ensureClaims, problemOf, problemsOfSharing } from './sharing.ts';
import { readinessRegion, ready } from './readiness.ts';
import { reduce, type CliqueEvent } from './reduce.ts';
import { countPods, writeStatus } from './status.ts';
import { awaitPodGroup, createPods, forgetSlots } from './steps/create-pods.ts';
import { deleteAll, deletePods, scaleIn } from './steps/delete-pods.ts';
import { removeGates, restoreLabel } from './steps/remove-gates.ts';
import { replaceFinished } from './steps/replace-finished.ts';
import {
  awaitLast,
  awaitTurn,
  endRollout,
  hasOldPods,
  holdRollout,
  isReplacing,
  replacePods,
  rolloutRegion,
} from './rollout.ts';
import { deleteStuck, noteStuck } from './steps/stuck-pods.ts';
import { keyIn, type Reading } from '../../contract/view.ts';
import { hasOurGate } from '../objects/pod.ts';
import { readingsOfTemplates, sharingTemplate } from '../views/claim-template.ts';
import { gangScheduling } from '../views/gang-scheduling.ts';
import { rolloutReads } from '../views/rollout.ts';
import { triggerReads } from '../views/trigger.ts';

/** What its pods wait for. */
const cliqueReads: Query<readonly Reading[]> = (context, clique) => {
  const { baseGang } = clique;
  const isBaseRead = baseGang !== undefined && isWaiting(context, clique);
  return [
    ...(isBaseRead ? [{ view: gangScheduling, key: keyIn(clique, baseGang) }] : []),
    { view: sharingTemplate, key: keyIn(clique, context.root.name) },
    triggerReads(clique, context.root.name),
    ...readingsOfTemplates(context.set),
    ...(hasOldPods(context, clique) ? rolloutReads(clique) : []),
  ];
};

/** Some pod is to be created, or is held by our gate: nothing else waits for the base gang. */
function isWaiting(context: CliqueContext, clique: ObservedClique): boolean {
  const live = livePods(context, clique);
  return live.length < clique.replicas || live.some(hasOurGate);
}

const active = ['active'];
const terminating = ['terminating'];

export const podClique = defineBehaviour<CliqueContext, ObservedClique, CliqueEvent, GroveInput>({
  kind: 'podclique',
  controller: 'podclique-controller',
  own: { of: ({ clique }) => clique, isGone: ({ isGone }) => isGone },
  start: startContext,
  reduce,
  reads: cliqueReads,
  chart: {
    active: {
      regions: {
        /** Refused: no pod can be made from the spec. */
        spec: classified({
          refused: (context, clique) => problemOf(context, clique) !== undefined,
          accepted: otherwise,
        }),
        /** Lost: the status tells of scheduled pods, and none is left. */
        scheduling: classified({
          lost: (context, clique) =>
            clique.observed.scheduledReplicas > 0 && countPods(context, clique).scheduled === 0,
          insufficient: (context, clique) =>
            countPods(context, clique).scheduled < clique.minAvailable,
          sufficient: otherwise,
        }),
        /** Whether enough pods run for the gang to be worth its place. */
        breach: classified({
          updating: isReplacing,
          unscheduled: (context, clique) =>
            countPods(context, clique).scheduled < clique.minAvailable,
          unready: (context, clique) => countPods(context, clique).good < clique.minAvailable,
          met: otherwise,
        }),
        rollout: rolloutRegion,
        readiness: readinessRegion,
      },
    },
  },
  steps: [
    { do: publishLeaving, in: terminating },
    { do: deleteAll, in: terminating },
    { do: ensureFinalizer, in: active },
    { do: noteStuck, in: active },
    { do: deleteStuck, in: ['active', 'terminating'] },
    { do: replaceFinished, in: active },
    { do: scaleIn, in: active },
    { do: replacePods, in: ['active.rollout.replacing'] },
    { do: awaitTurn, in: ['active.rollout.waiting'] },
    { do: holdRollout, in: ['active.rollout.held'] },
    { do: awaitLast, in: ['active.rollout.finishing'] },
    { do: endRollout, in: ['active.rollout.current'] },
    { do: deletePods, in: active },
    { do: ensureClaims, in: active },
    { do: awaitPodGroup, in: active },
    { do: forgetSlots, in: ['active.spec.refused'] },
    { do: createPods, in: ['active.spec.accepted'] },
    { do: removeGates, in: active },
    { do: restoreLabel, in: ['active', 'terminating'] },
    { do: publishPods, in: active },
    { do: announceErrorsBy(eventReason), in: ['active', 'terminating'] },
    { do: announceLoss, in: ['active.scheduling.lost'] },
    { do: forgetLoss, in: ['active.scheduling.insufficient', 'active.scheduling.sufficient'] },
    { do: awaitPods, in: active },
  ],
  conditions: { PodCliqueScheduled: scheduled, MinAvailableBreached: breached, Ready: ready },
  status: writeStatus,
  requiredStatus: {
    readyReplicas: 0,
    updatedReplicas: 0,
    scheduleGatedReplicas: 0,
    scheduledReplicas: 0,
  },
  explain: {
    terminating: (context, clique) => [
      whyTerminating(context, clique),
      ...sayErrors(context.errors),
    ],
    'active.spec.refused': (context, clique) => [
      `no pod is created: ${problemOf(context, clique)?.message ?? ''}`,
    ],
    'active.breach.unscheduled': explainBreach,
    'active.breach.unready': explainBreach,
    active: (context, clique) => [
      ...problemsOfSharing(context, clique).map(({ message }) => message),
      ...sayErrors(context.errors),
    ],
  },
  fine,
  view,
  hasNothing: ({ pods, claims, gangs, podGroups }) =>
    pods.size + claims.size + podGroups.size + gangs.size === 0,
  saysAll: true,
});
