// Whether a PodGang is scheduled: each of its PodCliques has its minimum of scheduled pods, so the
// gangs that build on it may be placed. Scheduled, not ready: readiness may need the others (spec
// controllers 3.4, rule 21). Views over the PodGang, its PodCliques and their pods; read by the
// PodCliques of the scaled gangs, and by the PodGang itself where there are such.
import { maxListed } from '../../contract/limits.ts';
import { entry, keyIn, read, type Entry, type Read, type View } from '../../contract/view.ts';
import type { ObservedPod } from '../objects/pod.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import type { ObservedGang } from '../objects/podgang.ts';

type Part =
  | { readonly of: 'gang'; readonly least: readonly { name: string; minReplicas: number }[] }
  | { readonly of: 'clique'; readonly name: string; readonly uid: string }
  /** A scheduled one of the PodClique with this UID. */
  | { readonly of: 'pod'; readonly clique: string };

/** A PodClique that has fewer scheduled pods than the gang's minimum. */
interface Short {
  readonly name: string;
  readonly scheduled: number;
  readonly least: number;
}

export interface Scheduling {
  readonly short: readonly Short[];
  /** All its PodCliques. */
  readonly many: number;
}

export type SchedulingEvent = Read<'gangScheduling', Scheduling>;
export type DependentsEvent = Read<'gangDependents', number>;

export const gangScheduling: View<Part, Scheduling> = {
  name: 'gangScheduling',
  valueOf: (items) => {
    const pods = new Map<string, number>();
    const cliques = new Map<string, string>();
    const gangs: (readonly { name: string; minReplicas: number }[])[] = [];
    for (const part of items.values()) {
      if (part.of === 'pod') pods.set(part.clique, (pods.get(part.clique) ?? 0) + 1);
      else if (part.of === 'clique') cliques.set(part.name, part.uid);
      else gangs.push(part.least);
    }
    const [groups] = gangs;
    if (groups === undefined) return undefined;
    const short = groups.flatMap(({ name, minReplicas: least }): Short[] => {
      const uid = cliques.get(name);
      const scheduled = uid === undefined ? 0 : (pods.get(uid) ?? 0);
      return uid === undefined || scheduled < least ? [{ name, scheduled, least }] : [];
    });
    return { short, many: groups.length };
  },
  // Who waits need not hear of each step on the way.
  wakes: (before, now) => isScheduled(before) !== isScheduled(now),
  event: read('gangScheduling'),
  say: ({ short, many }) => `${many - short.length} of ${many} PodCliques scheduled`,
};

/** How many PodCliques of scaled gangs build on a PodGang. */
export const gangDependents: View<true, number> = {
  name: 'gangDependents',
  valueOf: ({ size }) => size,
  event: read('gangDependents'),
  say: (many) => `${many} PodCliques`,
};

export const isScheduled = (scheduling: Scheduling | undefined): boolean =>
  scheduling?.short.length === 0;

/** A gang that goes is not built upon. */
export const schedulingOfGang = (gang: ObservedGang): readonly Entry[] => {
  if (gang.deleting) return [];
  const least = gang.groups.map(({ name, minReplicas }) => ({ name, minReplicas }));
  return [entry(gangScheduling, keyIn(gang, gang.name), { of: 'gang', least })];
};

export const schedulingOfClique = (clique: ObservedClique): readonly Entry[] => {
  const { gang, baseGang, name, uid, deleting } = clique;
  return [
    ...(gang === undefined || deleting
      ? []
      : [entry(gangScheduling, keyIn(clique, gang), { of: 'clique', name, uid })]),
    ...(baseGang === undefined ? [] : [entry(gangDependents, keyIn(clique, baseGang), true)]),
  ];
};

export const schedulingOfPod = (pod: ObservedPod): readonly Entry[] => {
  const { owner, gang, isScheduled: isPlaced } = pod;
  if (!isPlaced || gang === undefined || owner?.kind !== 'PodClique') return [];
  return [entry(gangScheduling, keyIn(pod, gang), { of: 'pod', clique: owner.uid })];
};

/** A few of those that are short, and by how much, for people. */
export function sayShort({ short, many }: Scheduling): string {
  const counts = short
    .slice(0, maxListed)
    .map(({ name, scheduled, least }) => `${name} has ${scheduled} of ${least}`);
  return `too few pods are scheduled: ${counts.join(', ')} (${short.length} of ${many} PodCliques)`;
}
