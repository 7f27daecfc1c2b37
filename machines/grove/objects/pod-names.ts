// Names of a PodClique's pods. They are computed, not drawn: a repeated create is the same create,
// and a PodGang can list pods before they exist (decision 0003). The podcliqueset actor
// uses the same functions when it creates the PodGang.
import { shortHash } from '../../kubernetes/hash.ts';

const suffixLength = 5;

/** `<podclique>-<5 characters>`: 14 million names per PodClique. */
export const podName = (clique: string, uid: string, index: number, incarnation: number): string =>
  `${clique}-${shortHash(`${uid}/${index}/${incarnation}`, suffixLength)}`;

/** Host name of the pod with this index (spec api 4.1). */
export const hostname = (clique: string, index: number): string => `${clique}-${index}`;

/** The index in a host name made by `hostname`, or undefined. Exact: the prefix must fit. */
export function indexOfHostname(clique: string, name: string): number | undefined {
  if (!name.startsWith(`${clique}-`)) return undefined;
  const digits = name.slice(clique.length + 1);
  return /^(0|[1-9]\d{0,8})$/.test(digits) ? Number(digits) : undefined;
}

export interface PodSlot {
  readonly index: number;
  readonly name: string;
}

export interface SlotOptions {
  readonly clique: string;
  readonly uid: string;
  /** Indices that need a name, ascending. */
  readonly indices: readonly number[];
  /** True for a name that an existing pod object holds, terminating ones included. */
  readonly isHeld: (name: string) => boolean;
  /** Names chosen before and still to be used: a choice sticks until its pod is seen. */
  readonly chosen: ReadonlyMap<number, string>;
  /** Names that the PodGang lists without a pod that we know of. */
  readonly announced: ReadonlySet<string>;
}

/** A name is taken again once it is free, so a pod seldom has a higher incarnation than this. */
const likelyIncarnations = 4;

/**
 * A name for each index: the one chosen before, else the one that the PodGang announces for it - a
 * controller before us chose it, and may have created the pod without our having seen it -, else
 * the smallest incarnation whose name nobody holds and no other index was given. So equal input
 * gives equal names everywhere.
 */
export function assignSlots(options: SlotOptions): readonly PodSlot[] {
  const { clique, uid, indices, isHeld, chosen } = options;
  const kept = new Map<number, string>();
  for (const index of indices) {
    const name = chosen.get(index);
    if (name !== undefined && !isHeld(name)) kept.set(index, name);
  }
  const given = new Set(kept.values());
  return indices.map((index) => {
    const before = kept.get(index);
    if (before !== undefined) return { index, name: before };
    let incarnation = announcedFor(options, index, given) ?? 0;
    let name = podName(clique, uid, index, incarnation);
    while (isHeld(name) || given.has(name)) name = podName(clique, uid, index, ++incarnation);
    given.add(name);
    return { index, name };
  });
}

/** The incarnation whose name the PodGang lists for the index, if it is free. */
function announcedFor(
  { clique, uid, isHeld, announced }: SlotOptions,
  index: number,
  given: ReadonlySet<string>,
): number | undefined {
  if (announced.size === 0) return undefined;
  for (let incarnation = 0; incarnation < likelyIncarnations; incarnation++) {
    const name = podName(clique, uid, index, incarnation);
    if (announced.has(name) && !isHeld(name) && !given.has(name)) return incarnation;
  }
  return undefined;
}

/** The names that a PodClique without any pod will use, sorted: what a new PodGang lists. */
export const firstNames = (clique: string, uid: string, replicas: number): readonly string[] =>
  assignSlots({
    clique,
    uid,
    indices: Array.from({ length: replicas }, (_, index) => index),
    isHeld: () => false,
    chosen: new Map(),
    announced: new Set(),
  })
    .map(({ name }) => name)
    .toSorted();

/** The lowest indices that are free, ascending: holes are filled first (spec controllers 7.5). */
export function lowestFree(used: ReadonlySet<number>, wanted: number): readonly number[] {
  const free: number[] = [];
  for (let index = 0; free.length < wanted; index++) if (!used.has(index)) free.push(index);
  return free;
}
