// The memory of a podgang actor: its object, and what it reads: the pods that each of its
// PodCliques wants, what the set wants of it, and who waits until it is scheduled.
import type { ActorKey } from '../../contract/address.ts';
import type { CommonEvent } from '../../contract/events.ts';
import { keyIn, withRead, type Reading } from '../../contract/view.ts';
import { isOwnNews } from '../../kubernetes/meta.ts';
import { ownSeen, recorded, resolved } from '../../contract/failure-log.ts';
import type { FailureLog } from '../../contract/failure-log.ts';
import { groupOf, withPodGroup } from '../objects/podgang.ts';
import type { BackendPodGroups, ObservedGang, PodGroupEvent } from '../objects/podgang.ts';
import type { GroveInput, GroveSettings } from '../settings.ts';
import { gangDependents, gangScheduling } from '../views/gang-scheduling.ts';
import type { DependentsEvent, Scheduling, SchedulingEvent } from '../views/gang-scheduling.ts';
import { gangTemplate, wantedPods } from '../views/gang-template.ts';
import { triggerReads } from '../views/trigger.ts';
import type {
  DesiredGang,
  GangTemplateEvent,
  WantedPods,
  WantedPodsEvent,
} from '../views/gang-template.ts';

export interface GangContext {
  readonly key: ActorKey;
  readonly root: ActorKey;
  readonly settings: GroveSettings;
  readonly gang: ObservedGang | undefined;
  readonly isGone: boolean;
  /** What its PodCliques want, by key; of those that say so. */
  readonly wanted: ReadonlyMap<string, WantedPods>;
  /** How many PodCliques of scaled gangs build on this one. */
  readonly dependents: number;
  /** Known only where there are such, and until the gang runs. */
  readonly scheduling: Scheduling | undefined;
  /** PodGroups of scheduler backends with this name. */
  readonly podGroups: BackendPodGroups;
  readonly podGroupSync: PodGroupSync;
  /** What the set wants, as long as the PodGang does not show it. */
  readonly desired: DesiredGang | undefined;
  readonly errors: FailureLog;
}

/** How the PodGroup of the scheduler backend is looked after (podgroup.ts). */
export interface PodGroupSync {
  /** The patch that was asked for first since one was done or refused: so it is the one sent. */
  readonly asked?: string | undefined;
  /** A patch that was done and the version that it left: it says all that can be had. */
  readonly done?: string | undefined;
  /** What is wrong, as people were told. */
  readonly lastReported?: string | undefined;
}

export type GangEvent =
  | CommonEvent
  | PodGroupEvent
  | { readonly type: 'gang.observed'; readonly observed: ObservedGang }
  | { readonly type: 'gang.gone'; readonly uid: string }
  | SchedulingEvent
  | DependentsEvent
  | WantedPodsEvent
  | GangTemplateEvent;

/** What is asked of the actor and its object. */
export type Query<R> = (context: GangContext, own: ObservedGang) => R;

/** The same for all: there are thousands of them, and some of it stays empty. */
const start: Omit<GangContext, 'key' | 'root' | 'settings'> = {
  gang: undefined,
  isGone: false,
  wanted: new Map(),
  errors: [],
  podGroupSync: {},
  dependents: 0,
  scheduling: undefined,
  podGroups: new Map(),
  desired: undefined,
};

export const startContext = ({ key, root, settings }: GroveInput): GangContext => ({
  ...start,
  key,
  root,
  settings,
});

/** The next context, or the same one where the event is no news. */
export function reduce(context: GangContext, event: GangEvent): GangContext {
  switch (event.type) {
    case 'gang.observed':
      return withGang(context, event.observed);
    case 'wantedPods.read':
      return { ...context, wanted: withRead(context.wanted, event.key, event.value) };
    case 'gangTemplate.read':
      return { ...context, desired: event.value };
    case 'gangDependents.read':
      return { ...context, dependents: event.value ?? 0 };
    case 'gangScheduling.read':
      return { ...context, scheduling: event.value };
    case 'podGroup.observed':
    case 'podGroup.gone': {
      const podGroups = withPodGroup(context.podGroups, event, isOwnNews);
      return podGroups === context.podGroups ? context : { ...context, podGroups };
    }
    case 'effect.failed':
      return {
        ...context,
        errors: recorded(context.errors, event),
        podGroupSync: withoutAsked(context.podGroupSync, event),
      };
    case 'effect.done':
      return {
        ...context,
        errors: resolved(context.errors, event.ref),
        podGroupSync: withDone(context, event),
      };
    case 'gang.gone':
      return context.gang?.uid === event.uid ? { ...context, isGone: true } : context;
    default:
      return context;
  }
}

type Ended = Extract<CommonEvent, { type: 'effect.failed' | 'effect.done' }>;

const isPodGroupPatch = ({ op, ref }: Ended): boolean => op === 'patch' && ref.kind !== 'PodGang';

const withoutAsked = (podGroupSync: PodGroupSync, event: Ended): PodGroupSync =>
  isPodGroupPatch(event) && podGroupSync.asked !== undefined
    ? { ...podGroupSync, asked: undefined }
    : podGroupSync;

/** The object in the reply was observed before. */
function withDone({ podGroupSync, podGroups }: GangContext, event: Ended): PodGroupSync {
  const there = [...podGroups.values()].find(({ kind }) => kind === event.ref.kind);
  if (!isPodGroupPatch(event) || there === undefined) return withoutAsked(podGroupSync, event);
  return {
    ...podGroupSync,
    asked: undefined,
    done: `${there.resourceVersion} ${podGroupSync.asked}`,
  };
}

function withGang(context: GangContext, observed: ObservedGang): GangContext {
  const seen = ownSeen(context, context.gang, observed);
  return seen === undefined ? context : { ...context, ...seen, gang: observed };
}

/** The pods that this PodClique has and wants; undefined: it does not say yet, or takes another
 *  PodGang for its own. */
export function wantedOf(
  { wanted, key, gang }: GangContext,
  clique: string,
): WantedPods | undefined {
  const pods = wanted.get(keyIn(key, clique));
  return pods !== undefined && pods.gang === gang?.uid ? pods : undefined;
}

/** What the set wants of this very PodGang. */
export const desiredOf: Query<DesiredGang | undefined> = ({ desired }, { uid }) =>
  desired?.uid === uid ? desired : undefined;

/** The PodCliques of the gang that do not say yet which pods they want. */
export const unreported = (context: GangContext): readonly string[] =>
  (context.gang?.groups ?? [])
    .map((group) => group.name)
    .filter((name) => name !== '' && wantedOf(context, name) === undefined);

/** True where this entry of the gang lists exactly the pods that its PodClique wants. */
export function isListed(context: GangContext, clique: string): boolean {
  const names = wantedOf(context, clique)?.names;
  const listed = groupOf(context.gang, clique)?.pods;
  if (names === undefined || listed === undefined) return false;
  return listed.size === names.length && names.every((name) => listed.has(name));
}

/** Every constituent pod exists, carries the gang's label and is listed (rule 20). */
export const isComplete = (context: GangContext): boolean =>
  (context.gang?.groups ?? []).every(
    ({ name }) => wantedOf(context, name)?.missing === 0 && isListed(context, name),
  );

/** Every constituent PodClique has its minimum of running pods (spec api 1.6). */
export const isRunning: Query<boolean> = (context, { groups }) =>
  groups.length > 0 && groups.every(({ name }) => wantedOf(context, name)?.isRunning === true);

/** Whether it is scheduled, for people, only where that is waited for. */
export function gangReads(context: GangContext, gang: ObservedGang): readonly Reading[] {
  const { dependents, root } = context;
  const key = keyIn(gang, gang.name);
  const isPlaced = !gang.isInitialized || gang.status['phase'] !== 'Pending';
  return [
    ...gang.groups
      .filter(({ name }) => name !== '')
      .map(({ name }) => ({ view: wantedPods, key: keyIn(gang, name) })),
    { view: gangTemplate, key },
    { view: gangDependents, key },
    triggerReads(gang, root.name),
    ...(dependents > 0 || !isPlaced ? [{ view: gangScheduling, key }] : []),
  ];
}
