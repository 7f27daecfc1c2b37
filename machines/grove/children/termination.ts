// How PodCliques that gang termination takes away are deleted, so that a process that dies half-way
// finishes the same gang after its restart, and no PodClique that was made again goes a second time
// (spec controllers 4.2, 4.3, 10.2 gap 18). Used for replicas of sets and of scaling groups.
import { firstOf } from '../../contract/limits.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import { startGraceMs } from '../objects/limits.ts';
import type { ObservedClique } from '../objects/podclique.ts';

/** One that runs: a choice that sticks until all of it is gone. */
export interface Termination {
  /** When it became due. */
  readonly dueAt: EpochMs;
  /** UIDs of the PodCliques that go. */
  readonly chosen: ReadonlySet<string>;
  /** UIDs of the scaling groups that are to show it. */
  readonly toMark: ReadonlySet<string>;
  /** People were told that all of it went, or another process saw that. */
  readonly isTold: boolean;
}

/** What has fallen below its minimum, first of its replica. */
export interface Breach {
  readonly dueAt: EpochMs;
  /** Kind and name of what it is. */
  readonly what: string;
  /** The same with its condition. */
  readonly cause: string;
}

export const firstBreach = (breaches: readonly Breach[]): Breach | undefined =>
  breaches.toSorted((a, b) => a.dueAt - b.dueAt)[0];

/**
 * Those that were there when it became due. After a restart their times of creation tell them from
 * those that were made again since; where the clocks are too far apart for that, all go.
 */
export function startTermination(
  cliques: readonly ObservedClique[],
  dueAt: EpochMs,
  isDue: (clique: ObservedClique) => boolean,
  toMark: readonly string[] = [],
): Termination {
  const isOld = ({ createdAt }: ObservedClique): boolean => (createdAt ?? 0) <= dueAt;
  const areTold = cliques.every((clique) => isOld(clique) || !isDue(clique));
  const old = areTold ? cliques.filter(isOld) : cliques;
  const isTold = old.every(({ deleting }) => deleting);
  return { dueAt, chosen: new Set(old.map(({ uid }) => uid)), toMark: new Set(toMark), isTold };
}

/** Of the PodCliques that go those whose deletion is still to be accepted. */
export const leftOf = (
  { chosen }: Termination,
  cliques: readonly ObservedClique[],
): readonly ObservedClique[] => cliques.filter(({ uid, deleting }) => chosen.has(uid) && !deleting);

/** When it becomes due for this process, which plans since then. */
export const dueFor = (breach: Breach, plannedSince: EpochMs): EpochMs =>
  Math.max(breach.dueAt, plannedSince + startGraceMs);

export interface Moment {
  readonly now: EpochMs;
  /** Since when this process plans the replicas. */
  readonly plannedSince: EpochMs;
}

/** Some PodClique goes already: a gang is made again as a whole, also where it recovers by then. */
const hasBegun = (running: Termination, cliques: readonly ObservedClique[]): boolean =>
  running.chosen.size === 0 || leftOf(running, cliques).length < running.chosen.size;

/** The one that runs; another where nothing is left of that and the next is due. */
export function current(
  running: Termination | undefined,
  cliques: readonly ObservedClique[],
  breach: Breach | undefined,
  { now, plannedSince }: Moment,
  start: (dueAt: EpochMs) => Termination,
): Termination | undefined {
  const isDue = breach !== undefined && dueFor(breach, plannedSince) <= now;
  if (!isDue) return running !== undefined && hasBegun(running, cliques) ? running : undefined;
  if (running === undefined) return start(breach.dueAt);
  const isThere = cliques.some(({ uid }) => running.chosen.has(uid));
  return isThere || breach.dueAt <= running.dueAt ? running : start(breach.dueAt);
}

/** It tells, by itself, that its replica is due. */
export const isDueBy =
  (delayMs: number, now: EpochMs) =>
  ({ observed }: { readonly observed: { readonly breachedSince: EpochMs | undefined } }): boolean =>
    observed.breachedSince !== undefined && observed.breachedSince + delayMs <= now;

export const sayLeft = (what: string, left: readonly ObservedClique[]): string =>
  `${what} is being terminated: waiting for the deletion of PodCliques ${firstOf(
    left.map(({ name }) => name),
    3,
  )}`;
