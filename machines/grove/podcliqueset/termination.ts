// Gang termination of a replica of a set (spec controllers 4.2): one that is below a minimum for
// longer than the set's delay, and was good before, loses all its PodCliques, which are made again.
// What becomes of a replica follows from what is observed, so a restart changes nothing about it.
import type { Intent } from '../../contract/intents.ts';
import type { ErrorEntry } from '../../contract/failure-log.ts';
import { deletionOf, normal } from '../../contract/object-intents.ts';
import { keyIn } from '../../contract/view.ts';
import { isOwnedBy } from '../../kubernetes/meta.ts';
import { rfc3339, type EpochMs } from '../../kubernetes/time.ts';
import type { Classified } from '../../statechart/region.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import { living } from '../children/reconcile.ts';
import {
  noTermination,
  replicaAt,
  type FoundReplica,
  type TerminationPlan,
} from '../children/replicas.ts';
import {
  current,
  dueFor,
  firstBreach,
  isDueBy,
  leftOf,
  startTermination,
  type Breach,
  type Moment,
  type Termination,
} from '../children/termination.ts';
import { isSoundStatus, messageOfBreach } from '../objects/breach.ts';
import { isKept } from '../objects/kept-replicas.ts';
import { groupName, placeOf } from '../objects/names.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';
import type { ObservedGroup } from '../objects/scalinggroup.ts';
import type { ObservedChildren } from '../objects/set-children.ts';
import { groupTermination } from '../views/termination.ts';
import { isIn, type Query, type Replica, type SetContext } from './context.ts';

/** Of a row. Due: what must survive is being recorded. Terminating: PodCliques go, or groups do not
 *  show it yet. Recovering: a group shows it, and was not sound since. */
export const terminationRegion: Classified<
  FoundReplica<ObservedChildren>,
  ObservedSet
> = classified({
  terminating: ({ termination }) => termination !== undefined,
  due: ({ dueAt }, _, now) => dueAt !== undefined && dueAt <= now,
  breached: ({ dueAt }) => dueAt !== undefined,
  recovering: ({ replica, isWanted }, set) =>
    isWanted && groupsOf(set, replica).some(({ observed }) => observed.isTerminated),
  met: otherwise,
});

/** In template order, those that stay. */
export const groupsOf = (set: ObservedSet, { children }: Replica): readonly ObservedGroup[] =>
  set.groups.flatMap(({ name }) => living(children.PodCliqueScalingGroup.get(name), set) ?? []);

/** The standalone ones and the members, those on their way out too. */
export function cliquesOf(set: ObservedSet, { children }: Replica): readonly ObservedClique[] {
  const groups = [...children.PodCliqueScalingGroup.values()];
  const isOurs = (clique: ObservedClique): boolean =>
    isOwnedBy(clique, 'PodCliqueSet', set.uid) ||
    groups.some((group) => isMemberOf(clique, group) && isOwnedBy(group, 'PodCliqueSet', set.uid));
  return [...children.PodClique.values()].filter(isOurs);
}

const isMemberOf = (clique: ObservedClique, { uid }: ObservedGroup): boolean =>
  isOwnedBy(clique, 'PodCliqueScalingGroup', uid);

/** What terminates the replica, unless it recovers by then; one PodClique or group that is missing
 *  hides no other (10.2 gap 19), and one that is going tells nothing (gap 18). */
export function breachOf(set: ObservedSet, replica: Replica): Breach | undefined {
  const cliques = set.cliques.map(({ name }) => living(replica.children.PodClique.get(name), set));
  const breaches = [...cliques, ...groupsOf(set, replica)].flatMap((child): Breach[] => {
    const since = child?.observed.breachedSince;
    if (child === undefined || since === undefined) return [];
    const what = `${child.kind} ${child.name}`;
    const cause = `${what}: ${messageOfBreach(child)}`;
    return [{ dueAt: since + set.terminationDelayMs, what, cause }];
  });
  return firstBreach(breaches);
}

export function planTermination(
  set: ObservedSet,
  index: number,
  replica: Replica,
  moment: Moment,
): TerminationPlan {
  const { now, plannedSince } = moment;
  const breach = breachOf(set, replica);
  if (breach === undefined && replica.termination === undefined) return noTermination;
  const cliques = cliquesOf(set, replica);
  const running = current(replica.termination, cliques, breach, moment, (dueAt) =>
    startTermination(cliques, dueAt, isDueBy(set.terminationDelayMs, now), unmarked(set, replica)),
  );
  const nextAt = breach && dueFor(breach, plannedSince);
  if (running === undefined) return { ...noTermination, dueAt: nextAt };
  const left = leftOf(running, cliques);
  const { dueAt } = running;
  if (replica.termination === undefined && left.some((one) => !isRecorded(set, replica, one))) {
    return { ...noTermination, dueAt };
  }
  const next = nextSteps(set, replica, running, { left, now });
  const toMark = new Set(next.toMark.map(({ uid }) => uid));
  const note = `PodCliqueSet replica ${index} deleted`;
  const told =
    left.length > 0 || running.isTold
      ? []
      : [normal(set, 'PodCliqueSetReplicaDeleteSuccessful', note)];
  const marks = marksOf(set, index, replica, next.marking);
  if (left.length + toMark.size === 0)
    return { intents: [], said: [...told, ...marks], dueAt: nextAt };
  const intents = [
    ...next.goes.map((one) => deletionOf(one, `replica ${index} of the set is terminated`)),
    ...marks,
  ];
  const isTold = left.length === 0;
  return { intents, said: told, dueAt, termination: { ...running, toMark, isTold } };
}

interface NextSteps {
  readonly goes: readonly ObservedClique[];
  /** Groups that are still to show it, and of them those that are told. */
  readonly toMark: readonly ObservedGroup[];
  readonly marking: readonly ObservedGroup[];
}

/**
 * Delete first, mark afterwards, and mark them all (10.1 rules 29, 30). What tells that it is due
 * comes last: a process that starts meanwhile goes on. A group tells it until it is marked.
 */
function nextSteps(
  set: ObservedSet,
  replica: Replica,
  running: Termination,
  { left, now }: { readonly left: readonly ObservedClique[]; readonly now: EpochMs },
): NextSteps {
  const isDue = isDueBy(set.terminationDelayMs, now);
  const others = left.filter((one) => !(isDue(one) && isOwnedBy(one, 'PodCliqueSet', set.uid)));
  const toMark = groupsOf(set, replica).filter(
    (group) => running.toMark.has(group.uid) && !isMarkDone(replica, group, running),
  );
  if (others.length > 0) return { goes: others, toMark, marking: [] };
  const early = toMark.filter((group) => !isDue(group));
  return early.length > 0
    ? { goes: [], toMark, marking: early }
    : { goes: left, toMark, marking: toMark };
}

const unmarked = (set: ObservedSet, replica: Replica): readonly string[] =>
  groupsOf(set, replica)
    .filter(({ observed }) => !observed.isTerminated)
    .map(({ uid }) => uid);

const marksOf = (
  set: ObservedSet,
  index: number,
  { children }: Replica,
  marking: readonly ObservedGroup[],
): readonly Intent[] =>
  set.groups.map(({ name }) => {
    const uid = living(children.PodCliqueScalingGroup.get(name), set)?.uid;
    const item = marking.some((one) => one.uid === uid) ? { uid } : undefined;
    const key = keyIn(set, groupName(set.name, index, name));
    return { type: 'publish', view: groupTermination, key, item };
  });

/** It shows that it was terminated, or was sound again before it could. */
function isMarkDone({ children }: Replica, group: ObservedGroup, { chosen }: Termination): boolean {
  if (group.observed.isTerminated) return true;
  if (group.observed.breach !== 'False') return false;
  const sound = [...children.PodClique.values()].filter(
    (one) => isMemberOf(one, group) && !chosen.has(one.uid) && isSoundStatus(one.observed.breach),
  );
  return sound.length >= group.minAvailable * group.cliqueNames.length;
}

/** The PodCliques of the replica that were scaled since they were made, by who makes them again. */
export function scaledIn(
  set: ObservedSet,
  replica: Replica,
): ReadonlyMap<ObservedSet | ObservedGroup, readonly ObservedClique[]> {
  const there = cliquesOf(set, replica).filter(({ deleting }) => !deleting);
  const owners = [set, ...groupsOf(set, replica)];
  return new Map(
    owners.map((owner) => {
      const own = there.filter((clique) => isOwnedBy(clique, owner.kind, owner.uid));
      return [owner, own.filter((clique) => clique.replicas !== usualReplicas(set, owner, clique))];
    }),
  );
}

/** One that the template does not have is not made again. */
function usualReplicas(
  set: ObservedSet,
  owner: ObservedSet | ObservedGroup,
  clique: ObservedClique,
): number {
  const slot = placeOf(owner.name, clique.name)?.slot;
  const group = placeOf(set.name, owner.name)?.slot;
  const templates =
    owner.kind === 'PodCliqueSet'
      ? set.cliques
      : set.groups.find(({ name }) => name === group)?.members;
  return templates?.find(({ name }) => name === slot)?.replicas ?? clique.replicas;
}

/** What it was scaled to is recorded where it is made again. */
function isRecorded(set: ObservedSet, replica: Replica, clique: ObservedClique): boolean {
  for (const [{ kept }, scaled] of scaledIn(set, replica)) {
    if (scaled.includes(clique)) return isKept(kept, clique);
  }
  return true;
}

/** The replica that is terminated first, when that is and for what; undefined: none is. Said in the
 *  status, so without counts, which move with each pod, and true of what has come to an end. */
export const firstTermination: Query<string | undefined> = (context, set) => {
  let first: { readonly index: number; readonly at: EpochMs } | undefined;
  for (const [index, at] of context.dueAt) {
    const isNext = first === undefined || at < first.at || (at === first.at && index < first.index);
    if (isNext && replicaAt(context, index).termination === undefined) first = { index, at };
  }
  const breach = first && breachOf(set, replicaAt(context, first.index));
  return first === undefined || breach === undefined
    ? undefined
    : `replica ${first.index} is terminated at ${rfc3339(first.at)}, unless ${breach.what} has its minimum by then`;
};

/** A deletion that termination asks for, and that is refused. */
export function isOfTermination(context: SetContext, { op, ref }: ErrorEntry): boolean {
  const index = ref.kind === 'PodClique' ? placeOf(context.key.name, ref.name)?.replica : undefined;
  if (op !== 'delete' || index === undefined) return false;
  return isIn(replicaAt(context, index), 'termination.terminating');
}
