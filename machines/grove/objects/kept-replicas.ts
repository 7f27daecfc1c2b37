// Replicas that somebody, e.g. an autoscaler, has set on a PodClique survive its termination: they
// are recorded in an annotation of the owner that makes it again, before it is deleted. An entry
// names the PodClique that is deleted by UID, so that another one of the name shows that it was
// used.
import { count, isObject, text } from '../../kubernetes/json.ts';
import type { Meta } from '../../kubernetes/meta.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { annotation } from './labels.ts';

interface KeptReplicas {
  /** Of the PodClique that had them. */
  readonly uid: string;
  readonly replicas: number;
}

/** By name of the PodClique. */
export type Kept = ReadonlyMap<string, KeptReplicas>;

/** Entries in one annotation, which is limited in size; who finds no place waits. */
const maxKept = 1_000;

const nothing: Kept = new Map();

/** What cannot be read is nothing: it is written anew. */
export function keptIn({ annotations }: Pick<Meta, 'annotations'>): Kept {
  const raw = annotations[annotation.keptReplicas];
  if (raw === undefined) return nothing;
  const entries = Object.entries(parsed(raw)).flatMap(([name, one]): [string, KeptReplicas][] => {
    const replicas = isObject(one) ? count(one['replicas']) : undefined;
    return replicas === undefined || !isObject(one)
      ? []
      : [[name, { uid: text(one['uid']), replicas }]];
  });
  return new Map(entries);
}

function parsed(raw: string): JsonObject {
  try {
    const value: unknown = JSON.parse(raw);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

interface Scaled {
  readonly name: string;
  readonly uid: string;
  readonly replicas: number;
}

/** Its replicas are recorded. */
export function isKept(kept: Kept, { name, uid, replicas }: Scaled): boolean {
  const entry = kept.get(name);
  return entry?.uid === uid && entry.replicas === replicas;
}

/** The entry has served, or is out of date: the PodClique was made again, or scaled since. */
export const isUsed = ({ uid, replicas }: KeptReplicas, there: Omit<Scaled, 'name'>): boolean =>
  there.uid !== uid || there.replicas !== replicas;

/** The patch of the owner's annotations that records these, as far as there is room, and drops
 *  those of these names; undefined where nothing differs. */
export function keepPatch(
  kept: Kept,
  scaled: readonly Scaled[],
  used: readonly string[],
): JsonObject | undefined {
  const next = new Map(kept);
  for (const name of used) next.delete(name);
  for (const { name, uid, replicas } of scaled) {
    if (next.has(name) || next.size < maxKept) next.set(name, { uid, replicas });
  }
  const isSame =
    next.size === kept.size && scaled.every((one) => isKept(kept, one) || !next.has(one.name));
  if (isSame) return undefined;
  const value = next.size === 0 ? null : JSON.stringify(Object.fromEntries(next));
  return { metadata: { annotations: { [annotation.keptReplicas]: value } } };
}
