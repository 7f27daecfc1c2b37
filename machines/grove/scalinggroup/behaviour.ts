// The life of a PodCliqueScalingGroup: members for each of its replicas by the template of its set,
// and a status that says how many of them are worth their place.
import { keyIn, type Reading } from '../../contract/view.ts';
import { defineBehaviour } from '../../statechart/define.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import { entries } from '../children/radix.ts';
import { sayError, sayErrors } from '../../contract/failure-log.ts';
import { ensureFinalizer } from '../finalizer.ts';
import { breachedType, terminatedType } from '../objects/breach.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import type { ObservedGroup } from '../objects/scalinggroup.ts';
import { readingsOfTemplates, setTemplate } from '../views/claim-template.ts';
import { rolloutReads } from '../views/rollout.ts';
import { groupTermination } from '../views/termination.ts';
import {
  isIn,
  problemOf,
  problemsOfSharing,
  reduce,
  replicasIn,
  sharedIn,
  sourceOf,
  startContext,
} from './context.ts';
import type { GroupContext, GroupEvent, Query, Step } from './context.ts';
import { ensureReplicas, removeSurplus, replicaChart } from './replicas.ts';
import {
  awaitLast,
  awaitTurn,
  endRollout,
  holdRollout,
  isReplacing,
  replaceReplicas,
  rolloutRegion,
} from './rollout.ts';
import { breached, readiness, terminated, writeStatus } from './status.ts';
import {
  announceLoss,
  deleteAll,
  deletionsAwaited,
  ensureCommonClaims,
  forgetLoss,
} from './steps.ts';
import { maxListed } from '../../contract/limits.ts';
import { whyThere } from '../../kubernetes/deletion.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { living, whyMissing } from '../children/reconcile.ts';
import { replicaAt } from '../children/replicas.ts';
import { claimsAwaited, whyAwaited } from '../claims/scope.ts';
import { finalizer } from '../objects/labels.ts';
import { memberName } from '../objects/names.ts';
import { isScheduled } from './children/member.ts';
import { announceErrors, awaitTermination, keepReplicas } from './terminate.ts';

/** Members are made from the template of the set. */
const groupReads: Query<readonly Reading[]> = ({ root, set }, group) => [
  { view: setTemplate, key: keyIn(group, root.name) },
  { view: groupTermination, key: keyIn(group, group.name) },
  ...readingsOfTemplates(set),
  ...rolloutReads(group),
];

/** What replicas wait for. */
const awaitReplicas: Step = (context, group) => ({
  intents: [],
  changes: {},
  waits: [{ say: () => whyReplicas(context, group) }],
});

function whyTerminating(context: GroupContext, group: ObservedGroup): string {
  const waited = deletionsAwaited(context, group).map(({ name }) => `PodClique ${name}`);
  return whyThere(`PodCliqueScalingGroup ${group.name}`, group, { ours: finalizer.group, waited });
}

const explainProblems: Query<readonly string[]> = (context, group) => [
  ...problemsOfSharing(context, group).map(({ message }) => message),
  ...sayErrors(context.errors),
];

function fine(context: GroupContext, group: ObservedGroup): string {
  const available = replicasIn(context, 'availability.available');
  return `${available} of ${group.replicas} replicas are available; nothing is waited for`;
}

function whyNoSource({ set }: GroupContext, group: ObservedGroup): string {
  const name = group.set === '' ? 'its PodCliqueSet' : `PodCliqueSet ${group.set}`;
  if (set === undefined) return `${name} was not seen: members are made from its template`;
  if (set.problem !== undefined) return `${name} cannot be acted upon: ${set.problem.message}`;
  return group.owner?.uid === set.uid
    ? `${name} has no scaling group for ${group.name} in its template`
    : `PodCliqueScalingGroup ${group.name} belongs to another owner than the ${name} that is there`;
}

function whyReplicas(context: GroupContext, group: ObservedGroup): readonly string[] {
  const reasons: string[] = [];
  const source = sourceOf(context, group);
  if (source === undefined) return reasons;
  const shared = sharedIn(context, group, source);
  for (let index = 0; index < shared.replicas; index++) {
    const replica = replicaAt(context, index);
    const isPending = replica.states.length === 0 || isIn(replica, 'members.pending');
    if (!isPending && isIn(replica, 'availability.available')) continue;
    const claims = claimsAwaited(shared, index).map(whyAwaited);
    const fresh = claims.filter((reason) => !reasons.includes(reason));
    reasons.push(...fresh, ...whyReplica(context, group, index));
    if (reasons.length >= maxListed) break;
  }
  return reasons;
}

function whyReplica(context: GroupContext, group: ObservedGroup, index: number): readonly string[] {
  const { PodClique: members } = replicaAt(context, index).children;
  const templates = sourceOf(context, group)?.template.members ?? [];
  return templates.flatMap(({ name }) => {
    const there = members.get(name);
    const what = `PodClique ${memberName(group.name, index, name)}`;
    const member = living(there, group);
    return member === undefined
      ? [whyMissing(what, there, 'group of this name')]
      : whyNotReady(what, member);
  });
}

function whyNotReady(what: string, member: ObservedClique): readonly string[] {
  const { readyReplicas, scheduledReplicas } = member.observed;
  if (readyReplicas >= member.minAvailable && isScheduled(member)) return [];
  const ready = `${readyReplicas} of at least ${member.minAvailable} pods ready`;
  return [`${what}: ${ready}, ${scheduledReplicas} scheduled`];
}

/** For `/actors` and `ask state`. */
function view(context: GroupContext): JsonObject {
  const { group } = context;
  if (group === undefined) return { set: context.set?.uid ?? null };
  return {
    uid: group.uid,
    generation: group.generation,
    wanted: group.replicas,
    minAvailable: group.minAvailable,
    scheduled: replicasIn(context, 'scheduling.scheduled'),
    available: replicasIn(context, 'availability.available'),
    updated: replicasIn(context, 'update.updated'),
    sound: replicasIn(context, 'breach.sound'),
    pending: replicasIn(context, 'members.pending'),
    errors: context.errors.map(sayError),
  };
}

const hasMinimum: Query<boolean> = (context, group) =>
  replicasIn(context, 'breach.sound') >= group.minAvailable;

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
          updating: isReplacing,
          breached: (context, group) => !hasMinimum(context, group),
          met: otherwise,
        }),
        /** Recovering: the set has terminated its replica, and it was not sound since. */
        termination: classified({
          recovering: (context, group) =>
            (group.observed.isTerminated || context.terminated?.uid === group.uid) &&
            (sourceOf(context, group) === undefined ||
              isReplacing(context, group) ||
              !hasMinimum(context, group)),
          met: otherwise,
        }),
        rollout: rolloutRegion,
        readiness: readiness.region,
      },
    },
  },
  steps: [
    { do: deleteAll, in: ['terminating'] },
    { do: ensureFinalizer, in: ['active'] },
    { do: ensureCommonClaims, in: ['active.source.known'] },
    { do: ensureReplicas, in: ['active.spec.accepted'] },
    { do: removeSurplus, in: ['active.spec.refused'] },
    { do: keepReplicas, in: ['active.spec.accepted'] },
    { do: awaitTermination, in: ['active.spec.accepted'] },
    { do: replaceReplicas, in: ['active.rollout.replacing'] },
    { do: awaitTurn, in: ['active.rollout.waiting'] },
    { do: holdRollout, in: ['active.rollout.held'] },
    { do: awaitLast, in: ['active.rollout.finishing'] },
    { do: endRollout, in: ['active.rollout.current'] },
    { do: announceErrors, in: ['active', 'terminating'] },
    { do: announceLoss, in: ['active.scheduling.lost'] },
    { do: forgetLoss, in: ['active.scheduling.held'] },
    { do: awaitReplicas, in: ['active'] },
  ],
  rows: { replica: replicaChart },
  conditions: {
    [breachedType]: breached,
    [terminatedType]: terminated,
    Ready: readiness.ready,
  },
  status: writeStatus,
  requiredStatus: { scheduledReplicas: 0, availableReplicas: 0, updatedReplicas: 0 },
  explain: {
    terminating: (context, group) => [whyTerminating(context, group), ...sayErrors(context.errors)],
    'active.spec.refused': (_, group) => [
      `no member is created: ${problemOf(group)?.message ?? ''}`,
    ],
    'active.termination.recovering': () => [
      'its replica of the set was terminated: its breach terminates nothing until it had its minimum',
    ],
    'active.source.missing': (context, group) => [whyNoSource(context, group)],
    active: explainProblems,
  },
  fine,
  view,
  hasNothing: ({ claims, replicas }) => claims.size === 0 && entries(replicas).next().done === true,
});
