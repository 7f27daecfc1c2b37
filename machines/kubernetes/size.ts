// How much of an object is looked at: what is wider or deeper than anybody means is refused before
// it is read, so that no single object can hold the process up. Called by meta.ts for every object;
// a module may have bounds of its own.
import { at, isObject } from './json.ts';
import type { KubeObject } from './objects.ts';

/** Labels of a PodCliqueSet or clique, and as many annotations; its children have up to twice. */
export const maxMapEntries = 1_000;
/** Of them ours, which may come on top. */
export const maxOwnEntries = 16;

/** Values in the metadata or spec of an object: a spec of some 400 KB. */
export const maxNodes = 20_000;

/** Levels of lists and objects in a spec. */
export const maxDepth = 100;

export interface Bounds {
  /** Labels, and as many annotations. */
  readonly entries: number;
  /** Values in the metadata, and as many in the spec. */
  readonly nodes: number;
  /** True for keys of labels and annotations that the module sets: a few may come on top, and they
   *  are read also where there are too many others. */
  readonly isOwn: (key: string) => boolean;
  /** What else is too large; absent: nothing else is looked at. */
  readonly error?: (object: KubeObject) => string | undefined;
}

/** Children have labels of their own besides those that they take over. */
export const usualBounds: Bounds = {
  entries: 2 * maxMapEntries,
  nodes: maxNodes,
  isOwn: () => false,
};

/** Undefined, or which field is too large and what would be right. */
export function errorOfSize(source: KubeObject, bounds: Bounds): string | undefined {
  const error = errorOfMaps('metadata', source.metadata, bounds) ?? bounds.error?.(source);
  if (error !== undefined) return error;
  for (const field of ['metadata', 'spec']) {
    const inside = nodeCountError(source[field], bounds.nodes);
    if (inside !== undefined) return `${field} ${inside}`;
  }
  return undefined;
}

/** Of the labels and annotations of something at this place. */
export function errorOfMaps(
  place: string,
  holder: unknown,
  { entries, isOwn }: Pick<Bounds, 'entries' | 'isOwn'>,
): string | undefined {
  for (const field of ['labels', 'annotations']) {
    if (isLargerThan(at(holder, field), entries, isOwn)) {
      return `${place}.${field} has more than ${entries} entries; use fewer`;
    }
  }
  return undefined;
}

/** The few that we add ourselves make nothing too large. */
function isLargerThan(value: unknown, most: number, isOwn: Bounds['isOwn']): boolean {
  const keys = isObject(value) ? Object.keys(value) : [];
  if (keys.length <= most || keys.length > most + maxOwnEntries) return keys.length > most;
  return keys.filter((key) => !isOwn(key)).length > most;
}

/** Walks without recursion and stops at the limit: costs no more than what is allowed. */
function nodeCountError(value: unknown, most: number): string | undefined {
  let level: readonly unknown[] = [value];
  let nodes = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return `is nested deeper than ${maxDepth}; make it flatter`;
    const next: unknown[] = [];
    for (const each of level) {
      if (typeof each !== 'object' || each === null) continue;
      // The keys of a very large object are cheaper to have than its values.
      nodes += Array.isArray(each) ? each.length : Object.keys(each).length;
      if (nodes > most) return `has more than ${most} values; make it smaller`;
      const inner: readonly unknown[] = Array.isArray(each) ? each : Object.values(each);
      for (const item of inner) if (typeof item === 'object') next.push(item);
    }
    level = next;
  }
  return undefined;
}
