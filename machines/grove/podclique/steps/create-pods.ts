// Every index that lacks a pod gets a name, and a pod is created as soon as the PodGang
// lists that name. So it needs no gate, except where its gang must wait for another or for the
// PodGroup of its scheduler (decision 0003, spec controllers 3.4 and 7.5).
import type { Intent } from '../../../contract/intents.ts';
import { idle } from '../../../statechart/step.ts';
import { assignSlots, hostname, lowestFree, type PodSlot } from '../../objects/pod-names.ts';
import { isFinished } from '../../objects/pod.ts';
import type { ObservedClique } from '../../objects/podclique.ts';
import { backendNamed } from '../../scheduler/backends.ts';
import {
  currentGang,
  isBaseOpen,
  livePods,
  missingPodGroup,
  namesBy,
  ownGroup,
  ownPods,
  schedulerOf,
} from '../context.ts';
import type { CliqueContext, Result, Step } from '../context.ts';
import { explainSlots } from '../explain.ts';
import { buildPod, type PodOptions } from '../pod.ts';
import { soundSharing } from '../sharing.ts';
import { replacementsUntil } from './replace-finished.ts';
import type { EpochMs } from '../../../kubernetes/time.ts';
import { podGroupWaitMs } from '../../objects/limits.ts';
import { claimsAwaited } from '../../claims/scope.ts';

/** Of a spec that was accepted before: no pod is to be made from it any more. */
export const forgetSlots: Step = ({ chosen }) =>
  chosen.size === 0 ? idle : { intents: [], changes: { chosen: namesBy([]) } };

export const createPods: Step = (context, clique, now) => {
  const slots = missingSlots(context, clique);
  if (slots.length + context.chosen.size + context.requested.size === 0) return idle;
  const listed = ownGroup(context, clique)?.pods;
  const sharing = soundSharing(context, clique);
  const hasClaims = ({ index }: PodSlot): boolean =>
    sharing === undefined || claimsAwaited(sharing.level, index).length === 0;
  const ready = isAwaiting(context, clique, now)
    ? []
    : slots.filter((free) => listed?.has(free.name) === true && hasClaims(free));
  const replacements = ready.length === 0 ? 0 : replacementsUntil(context, clique, now);
  const wanted = unblocked(context, clique, ready);
  return {
    intents: wanted.map((free) => {
      const claims = sharing?.claimsOf(free.index) ?? [];
      return createPod(context, clique, free, { claims, replacements });
    }),
    changes: {
      ...(isSameSlots(context.chosen, slots) ? {} : { chosen: namesBy(slots.map(entryOf)) }),
      ...withRequested(context, wanted),
    },
    waits: slots.length === 0 ? [] : [{ say: () => explainSlots(context, clique, slots) }],
  };
};

/**
 * Those for which there is room: a pod that was chosen to go lives, and has its index, until its
 * deletion is seen. The server may refuse that for a while.
 */
function unblocked(context: CliqueContext, clique: ObservedClique, slots: readonly PodSlot[]) {
  const lingering = ownPods(context, clique).filter(
    (pod) => context.podsToDelete.has(pod.uid) && !pod.deleting && !isFinished(pod),
  );
  if (lingering.length === 0) return slots;
  const room = clique.replicas - livePods(context, clique).length - lingering.length;
  const held = new Set(lingering.map(({ index }) => index));
  return slots.filter(({ index }) => !held.has(index)).slice(0, Math.max(0, room));
}

/** With what is asked for now, without what was seen meanwhile. */
function withRequested(context: CliqueContext, wanted: readonly PodSlot[]): Partial<CliqueContext> {
  const requested = namesBy([...awaitedPods(context), ...wanted.map(entryOf)]);
  const isSame =
    requested.size === context.requested.size &&
    wanted.every(({ index, name }) => context.requested.get(index) === name);
  return isSame ? {} : { requested };
}

/** Index and name of what was asked for and is not there. */
const awaitedPods = (context: CliqueContext): readonly (readonly [number, string])[] =>
  [...context.requested].filter(([, name]) => !isHeld(context, name));

const isHeld = ({ pods, foreign }: CliqueContext, name: string): boolean =>
  pods.has(name) || foreign.has(name);

const entryOf = ({ index, name }: PodSlot) => [index, name] as const;

const isSameSlots = (chosen: ReadonlyMap<number, string>, slots: readonly PodSlot[]): boolean =>
  chosen.size === slots.length && slots.every(({ index, name }) => chosen.get(index) === name);

const unmarked = { labels: {}, annotations: {} };

function createPod(
  context: CliqueContext,
  clique: ObservedClique,
  free: PodSlot,
  more: Pick<PodOptions, 'claims' | 'replacements'>,
): Intent {
  const gang = currentGang(context, clique);
  const schedulerName = schedulerOf(context, clique);
  const place = { clique: clique.name, gang: clique.gang ?? '' };
  return {
    type: 'createObject',
    ref: { kind: 'Pod', namespace: clique.namespace, name: free.name },
    reason: `pod ${free.index} of ${clique.replicas}`,
    place: hostname(clique.name, free.index),
    body: buildPod(clique, free, {
      schedulerName,
      marks: backendNamed(schedulerName)?.podMarks(place) ?? unmarked,
      initContainerImage: context.settings.initContainerImage,
      isHeld: !isBaseOpen(context, clique) || missingPodGroup(context, clique) !== undefined,
      ...more,
      parents: new Map(gang?.groups.map((group) => [group.name, group.minReplicas])),
    }),
  };
}

/**
 * Index and name of every pod that is wanted and not there. One that was asked for comes first: it
 * cannot be taken back, so another one in its place would be one too many.
 */
export function missingSlots(context: CliqueContext, clique: ObservedClique): readonly PodSlot[] {
  const live = livePods(context, clique);
  const used = new Set(live.map((pod) => pod.index).filter((index) => index !== undefined));
  const room = Math.max(0, clique.replicas - live.length);
  if (room === 0) return [];
  const awaited = awaitedPods(context);
  const coming = awaited
    .map(([index]) => index)
    .filter((index) => !used.has(index))
    .toSorted(ascending)
    .slice(0, room);
  const free = lowestFree(new Set([...used, ...coming]), room - coming.length);
  return assignSlots({
    clique: clique.name,
    uid: clique.uid,
    indices: [...coming, ...free].toSorted(ascending),
    isHeld: (name) => isHeld(context, name),
    chosen: new Map([...context.chosen, ...awaited]),
    announced: announcedNames(context, clique),
  });
}

const ascending = (a: number, b: number): number => a - b;

/** Listed names whose pods were not seen: to be created, or created by a controller before us. */
function announcedNames(context: CliqueContext, clique: ObservedClique): ReadonlySet<string> {
  const listed = ownGroup(context, clique)?.pods ?? new Set<string>();
  return new Set([...listed].filter((name) => !context.pods.has(name)));
}

/**
 * Where the scheduler needs a PodGroup, pods are created when that is there, which follows its
 * PodGang within a moment: then they need no gate. Nobody waits for long: after a second they are
 * created all the same, held by our gate until the PodGroup comes.
 */
export const awaitPodGroup: Step = (context, clique, now) => {
  const isWaiting =
    missingPodGroup(context, clique) !== undefined && missingSlots(context, clique).length > 0;
  if (isWaiting === (context.ungroupedSince !== undefined)) return waiting(context, now);
  const changes = { ungroupedSince: isWaiting ? now : undefined };
  return { ...waiting(changes, now), changes };
};

type Since = Pick<CliqueContext, 'ungroupedSince'>;

function waiting(context: Since, now: EpochMs): Result {
  const until = podGroupDeadline(context, now);
  return until === null ? idle : { ...idle, waits: [{ until }] };
}

/** True while no pod is created. One that another gate reason holds anyway need not wait. */
export const isAwaiting = (context: CliqueContext, clique: ObservedClique, now: EpochMs): boolean =>
  isBaseOpen(context, clique) && podGroupDeadline(context, now) !== null;

/** When the patience ends; null where it has, or where nothing is waited for. */
function podGroupDeadline({ ungroupedSince }: Since, now: EpochMs): EpochMs | null {
  if (ungroupedSince === undefined) return null;
  const end = ungroupedSince + podGroupWaitMs;
  // A clock that was set back must not make anybody wait longer.
  return now < end && now >= ungroupedSince ? end : null;
}
