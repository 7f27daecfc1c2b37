// The life of a PodCliqueScalingGroup: members for each of its replicas by the template of its set,
// and a status that says how many of them are worth their place.
import { keyIn, type Reading } from '../../contract/view.ts';
import { defineBehaviour } from '../../statechart/define.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import { entries } from '../children/radix.ts';
import { announceErrorsBy, sayError } from '../failure-log.ts';
import { ensureFinalizer } from '../finalizer.ts';
import { breachedType, isUpdating } from '../objects/podclique.ts';
import type { ObservedGroup } from '../objects/scalinggroup.ts';
import { readingsOfTemplates, setTemplate } from '../views/claim-template.ts';
import { problemOf, replicasIn, sourceOf, startContext } from './context.ts';
import type { GroupContext, Step } from './context.ts';
import {
  explainProblems,
  fine,
  view,
  whyNoSource,
  whyReplicas,
  whyTerminating,
} from './explain.ts';
import { reduce, type GroupEvent } from './reduce.ts';
import { ensureReplicas, removeSurplus, replicaChart } from './replicas.ts';
import { breached, eventReason, writeStatus } from './status.ts';
import { announceLoss, deleteAll, ensureCommonClaims, forgetLoss } from './steps.ts';

/** Members are made from the template of the set. */
const groupReads = ({ root, set }: GroupContext, group: ObservedGroup): readonly Reading[] => [
  { view: setTemplate, key: keyIn(group, root.name) },
  ...readingsOfTemplates(set),
];

/** What replicas wait for. */
const awaitReplicas: Step = (context, group) => ({
  intents: [],
  changes: {},
  waits: [{ say: () => whyReplicas(context, group) }],
});

export const scalingGroup = defineBehaviour<GroupContext, ObservedGroup, GroupEvent>({
  kind: 'scalinggroup',
  controller: 'podcliquescalinggroup-controller',
  own: { of: ({ group }) => group, isGone: ({ isGone }) => isGone },
  start: startContext,
  reduce,
  reads: groupReads,
  chart: {
    active: {
      regions: {
        /** Refused: no member can be made from the spec. */
        spec: classified({
          refused: (_, group) => problemOf(group) !== undefined,
          accepted: otherwise,
        }),
        /** Whether the set is there whose template the members are made from. */
        source: classified({
          missing: (context, group) => sourceOf(context, group) === undefined,
          known: otherwise,
        }),
        /** Lost: the status tells of scheduled replicas, and none is left. */
        scheduling: classified({
          lost: (context, group) =>
            context.planned !== undefined &&
            group.observed.scheduledReplicas > 0 &&
            sourceOf(context, group) !== undefined &&
            replicasIn(context, 'scheduling.scheduled') === 0,
          held: otherwise,
        }),
        breach: classified({
          unknown: (context, group) => sourceOf(context, group) === undefined,
          updating: (_, group) => isUpdating(group),
          breached: (context, group) => replicasIn(context, 'breach.sound') < group.minAvailable,
          met: otherwise,
        }),
      },
    },
  },
  steps: [
    { do: deleteAll, in: ['terminating'] },
    { do: ensureFinalizer, in: ['active'] },
    { do: ensureCommonClaims, in: ['active.source.known'] },
    { do: ensureReplicas, in: ['active.spec.accepted'] },
    { do: removeSurplus, in: ['active.spec.refused'] },
    { do: announceErrorsBy(eventReason), in: ['active', 'terminating'] },
    { do: announceLoss, in: ['active.scheduling.lost'] },
    { do: forgetLoss, in: ['active.scheduling.held'] },
    { do: awaitReplicas, in: ['active'] },
  ],
  rows: { replica: replicaChart },
  conditions: { [breachedType]: breached },
  status: writeStatus,
  requiredStatus: { scheduledReplicas: 0, availableReplicas: 0, updatedReplicas: 0 },
  explain: {
    terminating: (context, group) => [
      whyTerminating(context, group),
      ...context.errors.map(sayError),
    ],
    'active.spec.refused': (_, group) => [
      `no member is created: ${problemOf(group)?.message ?? ''}`,
    ],
    'active.source.missing': (context, group) => [whyNoSource(context, group)],
    active: explainProblems,
  },
  fine,
  view,
  hasNothing: ({ claims, replicas }) => claims.size === 0 && entries(replicas).next().done === true,
});
