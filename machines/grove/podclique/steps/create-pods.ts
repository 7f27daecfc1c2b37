// Every index that lacks a pod gets a name, and a pod is created as soon as the PodGang
// lists that name. So it needs no gate, except where its gang must wait for another or for the
// PodGroup of its scheduler (decision 0003, spec controllers 3.4 and 7.5).
import type { Intent } from '../../../contract/intents.ts';
import { idle } from '../../../statechart/step.ts';
import { hostname } from '../../objects/pod-names.ts';
import type { PodSlot } from '../../objects/pod-names.ts';
import { isFinished } from '../../objects/pod.ts';
import type { ObservedClique } from '../../objects/podclique.ts';
import { backendNamed } from '../../scheduler/backends.ts';
import {
  currentGang,
  isBaseOpen,
  livePods,
  missingPodGroup,
  ownGroup,
  ownPods,
  schedulerOf,
} from '../context.ts';
import type { CliqueContext, Step } from '../context.ts';
import { explainSlots } from '../explain.ts';
import { buildPod } from '../pod.ts';
import type { PodOptions } from '../pod.ts';
import { soundSharing } from '../sharing.ts';
import { isAwaiting } from './await-pod-group.ts';
import { awaitedClaims } from './claims.ts';
import { replacementsUntil } from './replace-finished.ts';
import { missingSlots } from './slots.ts';

/** Of a spec that was accepted before: no pod is to be made from it any more. */
export const forgetSlots: Step = ({ chosen }) =>
  chosen.size === 0 ? idle : { intents: [], changes: { chosen: new Map() } };

export const createPods: Step = (context, clique, now) => {
  const slots = missingSlots(context, clique);
  const listed = ownGroup(context, clique)?.pods;
  const sharing = soundSharing(context, clique);
  const hasClaims = ({ index }: PodSlot): boolean =>
    sharing === undefined || awaitedClaims(sharing, context, index).length === 0;
  const ready = isAwaiting(context, clique, now)
    ? []
    : slots.filter((free) => listed?.has(free.name) === true && hasClaims(free));
  const replacements = ready.length === 0 ? 0 : replacementsUntil(context, clique, now);
  return {
    intents: unblocked(context, clique, ready).map((free) => {
      const claims = sharing?.claimsOf(free.index) ?? [];
      return createPod(context, clique, free, { claims, replacements });
    }),
    changes: isSameSlots(context.chosen, slots)
      ? {}
      : { chosen: new Map(slots.map(({ index, name }) => [index, name])) },
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
