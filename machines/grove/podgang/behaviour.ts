// The life of a PodGang: it lists the pods that its PodCliques want until all of them exist, says
// so once, and then keeps its spec right.
import { defineBehaviour } from '../../statechart/define.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import type { ObservedGang } from '../objects/podgang.ts';
import type { GroveInput } from '../settings.ts';
import {
  desiredOf,
  gangReads,
  isComplete,
  isListed,
  reduce,
  startContext,
  unreported,
  wantedOf,
} from './context.ts';
import type { GangContext, GangEvent, Query } from './context.ts';
import { dropPodGroups, keepPodGroup, problemOf } from './podgroup.ts';
import { eventReason, initialized, publishFailure, writeSpec, writeStatus } from './steps.ts';
import { announceErrorsBy, sayError, sayErrors } from '../../contract/failure-log.ts';
import { maxListed } from '../../contract/limits.ts';
import { whyThere } from '../../kubernetes/deletion.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { sayShort } from '../views/gang-scheduling.ts';

const active = ['active'];

const explainProblems: Query<readonly string[]> = (context, gang) => [
  ...sayErrors(context.errors),
  ...[problemOf(context, gang)].filter((problem) => problem !== undefined),
];

/** Which pods are not there or not listed. */
const explainPods: Query<readonly string[]> = (context, gang) => [
  ...unreported(context).map(
    (name) => `PodClique ${name} does not say yet which pods it wants; is it there?`,
  ),
  ...gang.groups.flatMap(({ name }) => whyGroup(context, name)),
];

const whyComplete = (gang: ObservedGang): string =>
  `PodGang ${gang.name} is complete with ${podsIn(gang)} pods; that is about to be written`;

const whyTerminating = (gang: ObservedGang): string =>
  whyThere(`PodGang ${gang.name}`, gang, { ours: '', waited: [] });

const fine: Query<string> = (_, gang) =>
  `PodGang ${gang.name} is initialized with ${podsIn(gang)} pods; to place them is the scheduler's part`;

const podsIn = ({ groups }: ObservedGang): number =>
  groups.reduce((sum, group) => sum + group.pods.size, 0);

/** What its scheduler says of each pod, the PodCliques know. */
const explainScheduling: Query<readonly string[]> = ({ scheduling, dependents }, gang) => {
  if (scheduling === undefined || scheduling.short.length === 0) return [];
  const waiting =
    dependents > 0 ? `; ${dependents} PodCliques of scaled PodGangs wait for that` : '';
  return [`PodGang ${gang.name} is not scheduled: ${sayShort(scheduling)}${waiting}`];
};

function whyGroup(context: GangContext, name: string): readonly string[] {
  const pods = wantedOf(context, name);
  if (pods === undefined) return [];
  const { missing, names } = pods;
  if (missing > 0) {
    return [`${missing} of ${names.length} pods of PodClique ${name} are not there yet`];
  }
  return isListed(context, name) ? [] : [`the pods of PodClique ${name} are about to be listed`];
}

/** For `/actors` and `ask state`. */
const view = (context: GangContext): JsonObject => ({
  uid: context.gang?.uid ?? null,
  isInitialized: context.gang?.isInitialized ?? false,
  groups: (context.gang?.groups ?? []).slice(0, maxListed).map((group) => ({
    name: group.name,
    listed: group.pods.size,
    missing: wantedOf(context, group.name)?.missing ?? null,
  })),
  isWritten: context.gang === undefined || desiredOf(context, context.gang) === undefined,
  podGroups: [...context.podGroups.keys()],
  dependents: context.dependents,
  short: (context.scheduling?.short ?? []).slice(0, maxListed).map(({ name }) => name),
  unreported: unreported(context).slice(0, maxListed),
  errors: context.errors.map(sayError),
});

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
    'active.initialization.initialized': (context, gang) => [
      ...explainPods(context, gang),
      ...explainScheduling(context, gang),
    ],
  },
  fine,
  view,
  hasNothing: ({ podGroups }) => podGroups.size === 0,
});
