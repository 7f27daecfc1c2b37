// Why a PodClique is not ready, in sentences for people. Called by the behaviour and its steps when
// somebody asks `why`.
import { maxListed } from '../../contract/limits.ts';
import { heldBy, whyThere } from '../../kubernetes/deletion.ts';
import { text } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { rfc3339, sayWhen, type EpochMs } from '../../kubernetes/time.ts';
import { claimsAwaited, whyAwaited } from '../claims/scope.ts';
import { sayError } from '../../contract/failure-log.ts';
import { annotation, finalizer } from '../objects/labels.ts';
import { stuckAfterMs } from '../objects/limits.ts';
import type { PodSlot } from '../objects/pod-names.ts';
import { hasOurGate, isFinished, type ObservedPod } from '../objects/pod.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import { sayShort } from '../views/gang-scheduling.ts';
import {
  currentGang,
  isBaseOpen,
  isLeaving,
  livePods,
  missingPodGroup,
  namedGang,
  ownGroup,
  ownPods,
  schedulerOf,
  type CliqueContext,
  type Query,
} from './context.ts';
import { soundSharing } from './sharing.ts';
import { countPods } from './status.ts';
import { deletionsAwaited } from './steps/delete-pods.ts';

export function whyTerminating(context: CliqueContext, clique: ObservedClique): string {
  const waited = deletionsAwaited(context, clique).map(({ name }) => `Pod ${name}`);
  return whyThere(`PodClique ${clique.name}`, clique, { ours: finalizer.clique, waited });
}

export function fine(context: CliqueContext, clique: ObservedClique): string {
  const { ready } = countPods(context, clique);
  return `${ready} of ${clique.replicas} pods of PodClique ${clique.name} are ready; nothing is waited for`;
}

/** Of one that may be terminated for that: when, its owner knows. */
export const explainBreach: Query<readonly string[]> = (_, clique) => {
  const { minAvailable, name, owner } = clique;
  const since = clique.observed.breachedSince;
  if (since === undefined) return [];
  const what = `PodClique ${name} is below its minimum of ${minAvailable} since ${rfc3339(since)}`;
  return [
    `${what}: ${owner?.kind ?? ''} ${owner?.name ?? ''} knows when it is terminated for that`,
  ];
};

/** What pods that are not there wait for. */
export const explainSlots = (
  context: CliqueContext,
  clique: ObservedClique,
  slots: readonly PodSlot[],
): readonly string[] => [
  ...whyClaims(context, clique, slots),
  ...whyNotCreated(context, clique, slots),
];

/** Those that were refused are told as errors, and claims that are awaited for themselves. */
function whyNotCreated(
  context: CliqueContext,
  clique: ObservedClique,
  all: readonly PodSlot[],
): readonly string[] {
  const gang = currentGang(context, clique);
  const level = soundSharing(context, clique)?.level;
  const slots = all.filter(
    ({ name, index }) =>
      !context.errors.some(({ ref }) => ref.kind === 'Pod' && ref.name === name) &&
      (level === undefined || claimsAwaited(level, index).length === 0),
  );
  if (gang === undefined) return [whyNoGang(context, clique)];
  const listed = ownGroup(context, clique)?.pods;
  const kind = missingPodGroup(context, clique);
  const next = kind === undefined ? 'is about to be created' : `waits for ${kind} ${gang.name}`;
  return grouped(
    slots.map(({ name }) => [
      name,
      listed?.has(name) === true ? next : `waits for PodGang ${gang.name} to list it`,
    ]),
  );
}

/** Claims that keep pods from being created. */
function whyClaims(
  context: CliqueContext,
  clique: ObservedClique,
  slots: readonly PodSlot[],
): readonly string[] {
  const level = soundSharing(context, clique)?.level;
  if (level === undefined) return [];
  return [...new Set(slots.flatMap(({ index }) => claimsAwaited(level, index).map(whyAwaited)))];
}

function whyNoGang(context: CliqueContext, clique: ObservedClique): string {
  const name = clique.gang ?? '';
  const gang = namedGang(context, clique);
  if (gang === undefined) {
    const set = clique.set === '' ? 'the PodCliqueSet' : `PodCliqueSet ${clique.set}`;
    return `waiting for PodGang ${name}; ${set} creates it once all its PodCliques are there`;
  }
  if (!gang.deleting) return `PodGang ${name} belongs to another owner than this PodClique`;
  return `waiting for the old PodGang ${name} to go${heldBy(gang)}`;
}

/** Pods that wait for the same are one sentence, and those in trouble come first. */
export function explainPods(
  context: CliqueContext,
  clique: ObservedClique,
  now: EpochMs,
): readonly string[] {
  const rank = (pod: ObservedPod): number => {
    if (isLeaving(context, pod)) return 2;
    return isFinished(pod) || pod.trouble !== '' ? 0 : 1;
  };
  const say = (pod: ObservedPod): readonly [string, string][] => {
    const reason = whyPod(context, clique, pod, now);
    return reason === undefined ? [] : [[pod.name, reason]];
  };
  const own = ownPods(context, clique);
  // Of an earlier PodClique of the name: what is stuck may hold a node.
  const earlier = [...context.pods.values()].filter(
    (pod) => context.stuck.has(pod.uid) && !own.includes(pod),
  );
  const pods = [...own, ...earlier].toSorted((a, b) => rank(a) - rank(b));
  return grouped(pods.flatMap(say));
}

/** `pod a and 2 more is gated ...`: names and reasons, by reason. */
const grouped = (reasons: readonly (readonly [name: string, reason: string])[]): string[] =>
  [...Map.groupBy(reasons, ([, reason]) => reason)].map(([reason, [first, ...others]]) => {
    const more = others.length > 0 ? ` (and ${others.length} more)` : '';
    return `pod ${first?.[0] ?? ''}${more} ${reason}`;
  });

/** What a pod waits for, or undefined where that is nothing. */
function whyPod(
  context: CliqueContext,
  clique: ObservedClique,
  pod: ObservedPod,
  now: EpochMs,
): string | undefined {
  if (isLeaving(context, pod)) {
    const node = pod.nodeName === undefined ? '' : ` on node ${pod.nodeName}`;
    const stuck = context.stuck.has(pod.uid) ? whyStuck(context, pod, now) : whenStuck(pod, now);
    return `is terminating${node}${heldBy(pod)}${stuck}`;
  }
  if (isFinished(pod)) {
    const at = context.replaceAt.get(pod.uid) ?? now;
    return `ended (${pod.phase}); it is replaced ${sayWhen(at, now)}`;
  }
  if (pod.isReady) return undefined;
  if (hasOurGate(pod)) return whyGated(context, clique, pod);
  if (pod.gates.length > 0) {
    const gates = pod.gates.map((gate) => text(gate['name'])).join(', ');
    return `is held by the scheduling gate ${gates}: whoever set it must take it off`;
  }
  if (pod.trouble !== '') return pod.trouble;
  if (!pod.isScheduled) {
    return `waits for the scheduler ${schedulerOf(context, clique)} to place it; is that running?`;
  }
  if (pod.isHeldByOrder) {
    return `starts once ${whyOrdered(context, clique)} are ready (start-up order)`;
  }
  return `is on node ${pod.nodeName ?? '?'} and not ready yet: it starts, or its probe fails`;
}

/** As its init container counts them (pod.ts). */
function whyOrdered(context: CliqueContext, clique: ObservedClique): string {
  const groups = currentGang(context, clique)?.groups ?? [];
  const parents = clique.startsAfter.map((parent) => {
    const least = groups.find(({ name }) => name === parent)?.minReplicas ?? 1;
    return `${least} pods of ${parent}`;
  });
  return parents.join(' and ');
}

/** Of one whose deletion was seen. */
const whenStuck = ({ deletesAt }: ObservedPod, now: EpochMs): string =>
  deletesAt === undefined
    ? ''
    : `; if it stays it counts as gone ${sayWhen(deletesAt + stuckAfterMs, now)}`;

/** By the annotation of its set, or what would help. */
function whyStuck(
  { set, forced }: CliqueContext,
  { uid, deletesAt = 0 }: ObservedPod,
  now: EpochMs,
): string {
  const since = `; it should be gone since ${rfc3339(deletesAt)} and counts as gone`;
  if (forced.has(uid)) return `${since}; it was deleted by force`;
  const { forceDelete: delay } = set ?? {};
  return delay !== undefined && 'ms' in delay
    ? `${since}; it is deleted by force ${sayWhen(deletesAt + delay.ms, now)}`
    : `${since}: its node may be gone; delete it by force, or see annotation ${annotation.forceDeleteAfter}`;
}

/** In the order in which it must come true (steps/remove-gates.ts). */
function whyGated(context: CliqueContext, clique: ObservedClique, pod: ObservedPod): string {
  const gang = currentGang(context, clique);
  const is = 'is held by our scheduling gate';
  if (gang === undefined) return `${is}: ${whyNoGang(context, clique)}`;
  if (ownGroup(context, clique)?.pods.has(pod.name) !== true) {
    return `${is} until PodGang ${gang.name} lists it`;
  }
  if (!gang.isInitialized) {
    return `${is} until PodGang ${gang.name} is initialized: all its pods must exist`;
  }
  const kind = missingPodGroup(context, clique);
  if (kind !== undefined) {
    return `${is} until ${kind} ${gang.name} is there: PodGang ${gang.name} knows why it is not`;
  }
  if (isBaseOpen(context, clique)) return `${is}, which is about to be taken off`;
  const short = context.base === undefined ? '' : `: ${sayShort(context.base)}`;
  return `${is} until PodGang ${clique.baseGang ?? ''} is scheduled${short}`;
}

/** For `/actors` and `ask state`. */
export function view(context: CliqueContext): JsonObject {
  const { clique } = context;
  if (clique === undefined) return { pods: context.pods.size };
  const counts = countPods(context, clique);
  return {
    uid: clique.uid,
    generation: clique.generation,
    wanted: clique.replicas,
    minAvailable: clique.minAvailable,
    pods: { ...counts },
    live: livePods(context, clique)
      .slice(0, maxListed)
      .map((pod) => pod.name),
    leaving: context.podsToDelete.size,
    base: clique.baseGang === undefined ? null : { isScheduled: isBaseOpen(context, clique) },
    awaited: [...context.chosen.values()].slice(0, maxListed),
    errors: context.errors.map(sayError),
  };
}
