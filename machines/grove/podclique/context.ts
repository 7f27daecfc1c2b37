// The memory of a podclique actor and the questions that all its steps ask of it. Part of it is
// what was observed; the rest are choices that must stick until their effect is seen.
import type { ActorKey } from '../../contract/address.ts';
import { isOwnedBy } from '../../kubernetes/meta.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import type { Rule } from '../../statechart/region.ts';
import { remembered } from '../../statechart/remembered.ts';
import type { StepResult } from '../../statechart/step.ts';
import type { ObservedPod } from '../objects/pod.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';
import {
  groupOf,
  type BackendPodGroups,
  type GangEntry,
  type ObservedGang,
  type PodGroupKind,
} from '../objects/podgang.ts';
import { backendOfGang } from '../scheduler/backends.ts';
import { isControlledBy } from '../scheduler/podgroup.ts';
import type { GroveInput, GroveSettings } from '../settings.ts';
import { isScheduled, type Scheduling } from '../views/gang-scheduling.ts';
import { startSharer, type SharingContext } from '../claims/reduce.ts';
import type { Progress } from '../objects/progress.ts';
import { noTurn, type Turn } from '../views/rollout.ts';

export interface CliqueContext extends SharingContext, Turn {
  readonly root: ActorKey;
  readonly settings: GroveSettings;
  readonly clique: ObservedClique | undefined;
  /** Those that name it, by name: its own is the one of its label. */
  readonly gangs: ReadonlyMap<string, ObservedGang>;
  /** PodGroups of scheduler backends that let its pods in. */
  readonly podGroups: BackendPodGroups;
  /** Since when pods that are to be created wait for such a one. */
  readonly ungroupedSince: EpochMs | undefined;
  /** By name; also pods of an earlier PodClique of this name, as they hold their names. */
  readonly pods: ReadonlyMap<string, ObservedPod>;
  /** Its PodCliqueSet, where that shares claims or deletes pods by force. */
  readonly set: ObservedSet | undefined;
  /** UIDs of pods chosen to go: they count as terminating until they are gone. */
  readonly podsToDelete: ReadonlySet<string>;
  /** UIDs of those that were chosen once because there were too many. */
  readonly inExcess: ReadonlySet<string>;
  /** UIDs of those that an update chose. */
  readonly outdated: ReadonlySet<string>;
  /** UIDs of pods whose deletion was asked for and not answered: it may be on its way. */
  readonly asked: ReadonlySet<string>;
  /** UIDs of pods that should be gone: they are gone for all purposes but their names. */
  readonly stuck: ReadonlySet<string>;
  /** UIDs of pods that are deleted by force, and of those of which that was answered. */
  readonly forcing: ReadonlySet<string>;
  readonly forced: ReadonlySet<string>;
  /** Names chosen for indices whose pods were not seen yet. */
  readonly chosen: ReadonlyMap<number, string>;
  /** Names by index of pods that were asked for and not seen since: they may be on their way. */
  readonly requested: ReadonlyMap<number, string>;
  /** Names that turned out to be held by objects that are not ours. */
  readonly foreign: ReadonlySet<string>;
  /** Finished pods and when each is replaced, by UID. */
  readonly replaceAt: ReadonlyMap<string, EpochMs>;
  readonly failures: { readonly times: number; readonly lastAt: EpochMs };
  /** How the base PodGang stands; undefined: it is not there. Only in scaled gangs. */
  readonly base: Scheduling | undefined;
  /** UIDs of pods whose deletion was refused. */
  readonly refused: ReadonlySet<string>;
  readonly isLossReported: boolean;
  /** What the status is to say of the update, until it is written; undefined: what it says. */
  readonly decided: { readonly progress: Progress<string> | undefined } | undefined;
}

/** What is asked of the actor and its object. */
export type Query<R> = (context: CliqueContext, own: ObservedClique) => R;

const noNames: ReadonlyMap<number, string> = new Map();

/** Names of pods by index. */
export const namesBy = (
  names: readonly (readonly [number, string])[],
): ReadonlyMap<number, string> => (names.length === 0 ? noNames : new Map(names));

/** The same for all: there are thousands of them, and most of it stays empty. */
const start: Omit<CliqueContext, 'key' | 'root' | 'settings'> = {
  ...startSharer,
  ...noTurn,
  clique: undefined,
  gangs: new Map(),
  podGroups: new Map(),
  pods: new Map(),
  set: undefined,
  podsToDelete: new Set(),
  inExcess: new Set(),
  outdated: new Set(),
  asked: new Set(),
  stuck: new Set(),
  forcing: new Set(),
  forced: new Set(),
  chosen: noNames,
  requested: noNames,
  foreign: new Set(),
  replaceAt: new Map(),
  failures: { times: 0, lastAt: 0 },
  base: undefined,
  refused: new Set(),
  isLossReported: false,
  decided: undefined,
  ungroupedSince: undefined,
};

export const startContext = ({ key, root, settings }: GroveInput): CliqueContext => ({
  ...start,
  key,
  root,
  settings,
});

export type Result = StepResult<CliqueContext>;
export type Step = Rule<CliqueContext, ObservedClique, Result>;

/** The pods that this very PodClique controls, sorted by name. */
export const ownPods: Query<readonly ObservedPod[]> = ({ pods }, { uid }) => ownedBy(pods, uid);

const ownedBy = remembered((pods: CliqueContext['pods'], uid: string): readonly ObservedPod[] =>
  [...pods.values()]
    .filter((pod) => isOwnedBy(pod, 'PodClique', uid))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
);

/**
 * Terminating, or chosen to be: gone for all purposes but its name (spec controllers 10.1 rule 4).
 */
export const isLeaving = ({ podsToDelete }: Leaving, pod: ObservedPod): boolean =>
  pod.deleting || podsToDelete.has(pod.uid);

type Leaving = Pick<CliqueContext, 'podsToDelete'>;

/** Sorted by name. */
export const livePods: Query<readonly ObservedPod[]> = (context, clique) =>
  staying(ownPods(context, clique), context.podsToDelete);

const staying = remembered(
  (own: readonly ObservedPod[], podsToDelete: ReadonlySet<string>): readonly ObservedPod[] => {
    const left = own.filter((pod) => !isLeaving({ podsToDelete }, pod));
    return left.length === own.length ? own : left;
  },
);

/** The PodGang of its label, whoever owns it. */
export const namedGang: Query<ObservedGang | undefined> = ({ gangs }, { gang }) =>
  gang === undefined ? undefined : gangs.get(gang);

/**
 * The observed PodGang, if it belongs to the same PodCliqueSet as the PodClique and stays. A member
 * of a scaling group is owned by that, so it knows its set by name only.
 */
export const currentGang: Query<ObservedGang | undefined> = (context, clique) => {
  const gang = namedGang(context, clique);
  const owner = gang?.owner;
  const isSameSet =
    clique.owner?.kind === 'PodCliqueScalingGroup'
      ? owner?.kind === 'PodCliqueSet' && owner.name === clique.set
      : owner?.uid === clique.owner?.uid;
  return gang !== undefined && isSameSet && !gang.deleting ? gang : undefined;
};

/** Only a PodClique of a scaled gang waits for another gang (spec controllers 3.4). */
export const isBaseOpen: Query<boolean> = (context, clique) =>
  clique.baseGang === undefined || isScheduled(context.base);

/**
 * The kind of PodGroup that its scheduler needs and that is not there: until then our gate keeps
 * the scheduler from placing the pods one by one (decision 0003). Undefined where nothing
 * is missing.
 */
export const missingPodGroup: Query<PodGroupKind | undefined> = (context, clique) => {
  const gang = currentGang(context, clique);
  const backend = gang === undefined ? undefined : backendOfGang(gang, context.settings);
  const kind = backend?.podGroups?.kind;
  if (gang === undefined || kind === undefined) return undefined;
  if (backend?.name !== schedulerOf(context, clique)) return undefined;
  const there = context.podGroups.get(kind);
  const isThere = there !== undefined && !there.deleting && isControlledBy(there, gang);
  return isThere ? undefined : kind;
};

export const ownGroup: Query<GangEntry | undefined> = (context, clique) =>
  groupOf(currentGang(context, clique), clique.name);

export const schedulerOf: Query<string> = (context, clique) => {
  const given = clique.podSpec['schedulerName'];
  return typeof given === 'string' && given !== '' ? given : context.settings.defaultSchedulerName;
};

/** Names that pods have or are about to have, sorted: what the PodGang must list. */
export const wantedNames: Query<readonly string[]> = (context, clique) => {
  const names = livePods(context, clique).map((pod) => pod.name);
  return context.chosen.size === 0
    ? names
    : [...new Set([...names, ...context.chosen.values()])].toSorted();
};

/** Pods that are wanted and not there, or there without the label of their gang. */
export const missingPods: Query<number> = (context, clique) => {
  const stray = livePods(context, clique).filter((pod) => pod.gang !== clique.gang);
  return context.chosen.size + stray.length;
};

/** The gang's minimum of its pods runs. */
export const isRunning: Query<boolean> = (context, clique) =>
  livePods(context, clique).filter(({ phase }) => phase === 'Running').length >=
  clique.minAvailable;

/** What is to be deleted, with these. */
export const withChosen = (
  { podsToDelete }: CliqueContext,
  pods: readonly ObservedPod[],
): ReadonlySet<string> => new Set([...podsToDelete, ...pods.map(({ uid }) => uid)]);
