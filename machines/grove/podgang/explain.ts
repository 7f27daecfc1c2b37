// Why a PodGang is not initialized, in sentences for people.
import { maxListed } from '../../contract/limits.ts';
import { whyThere } from '../../kubernetes/deletion.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { sayError } from '../failure-log.ts';
import type { ObservedGang } from '../objects/podgang.ts';
import { sayShort, type Scheduling } from '../views/gang-scheduling.ts';
import { desiredOf, isListed, unreported, wantedOf, type GangContext } from './context.ts';
import { problemOf } from './podgroup.ts';

export const explainProblems = (context: GangContext, gang: ObservedGang): readonly string[] => [
  ...context.errors.map(sayError),
  ...[problemOf(context, gang)].filter((problem) => problem !== undefined),
];

/** Which pods are not there or not listed. */
export const explainPods = (context: GangContext, gang: ObservedGang): readonly string[] => [
  ...unreported(context).map(
    (name) => `PodClique ${name} does not say yet which pods it wants; is it there?`,
  ),
  ...gang.groups.flatMap(({ name }) => whyGroup(context, name)),
];

export const whyComplete = (gang: ObservedGang): string =>
  `PodGang ${gang.name} is complete with ${podsIn(gang)} pods; that is about to be written`;

export const whyTerminating = (gang: ObservedGang): string =>
  whyThere(`PodGang ${gang.name}`, gang, { ours: '', waited: [] });

export const fine = ({ scheduling, dependents }: GangContext, gang: ObservedGang): string =>
  scheduling !== undefined && scheduling.short.length > 0
    ? whyNotScheduled(scheduling, dependents)
    : `PodGang ${gang.name} is initialized with ${podsIn(gang)} pods; to place them is the scheduler's part`;

const podsIn = ({ groups }: ObservedGang): number =>
  groups.reduce((sum, group) => sum + group.pods.size, 0);

/** Said only where somebody waits for it: to place pods is the scheduler's part. */
const whyNotScheduled = (scheduling: Scheduling, dependents: number): string =>
  `too few pods of ${sayShort(scheduling)} are scheduled; ${dependents} PodCliques of scaled PodGangs wait for that`;

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
export const view = (context: GangContext): JsonObject => ({
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
  short: (context.scheduling?.short ?? []).slice(0, maxListed),
  unreported: unreported(context).slice(0, maxListed),
  errors: context.errors.map(sayError),
});
