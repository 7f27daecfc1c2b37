// How much of an object is looked at: what is wider or deeper than anybody means is refused before
// it is read, so that no single object can hold the process up. Called by meta.ts for every object.
import { isOurs } from './grove/labels.ts';
import { at, isObject, list } from './json.ts';
import {
  maxCliquesPerSet,
  maxDepth,
  maxListNodes,
  maxMapEntries,
  maxNodes,
  maxOwnEntries,
} from './limits.ts';
import type { KubeObject } from './objects.ts';

/** Undefined, or which field is too large and what would be right. */
export function flawOfSize(source: KubeObject): string | undefined {
  const isSet = source.kind === 'PodCliqueSet';
  // Children have labels of their own besides those that they take over.
  const flawOfMeta = flawOfMaps('metadata', source.metadata, isSet ? 1 : 2);
  if (flawOfMeta !== undefined) return flawOfMeta;
  const flawOfTemplate = isSet ? flawOfCliques(source['spec']) : undefined;
  if (flawOfTemplate !== undefined) return flawOfTemplate;
  // A PodGang lists every pod of its cliques, and the PodGroup of one every clique.
  const isLong = source.kind === 'PodGang' || source.kind === 'PodGroup';
  const most = isLong ? maxListNodes : maxNodes;
  for (const field of ['metadata', 'spec']) {
    const flaw = flawOf(source[field], most);
    if (flaw !== undefined) return `${field} ${flaw}`;
  }
  return undefined;
}

function flawOfCliques(spec: unknown): string | undefined {
  const place = 'spec.template.cliques';
  const cliques = list(at(spec, 'template', 'cliques'));
  if (cliques.length > maxCliquesPerSet) {
    return `${place} has ${cliques.length} entries; at most ${maxCliquesPerSet} are handled`;
  }
  for (const [index, clique] of cliques.entries()) {
    const flaw = flawOfMaps(`${place}[${index}]`, clique, 1);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}

function flawOfMaps(place: string, holder: unknown, times: number): string | undefined {
  const most = times * maxMapEntries;
  for (const field of ['labels', 'annotations']) {
    if (isLargerThan(at(holder, field), most)) {
      return `${place}.${field} has more than ${most} entries; use fewer`;
    }
  }
  return undefined;
}

/** The few that we add ourselves make nothing too large. */
function isLargerThan(value: unknown, most: number): boolean {
  const keys = isObject(value) ? Object.keys(value) : [];
  if (keys.length <= most || keys.length > most + maxOwnEntries) return keys.length > most;
  return keys.filter((key) => !isOurs(key)).length > most;
}

/** Walks without recursion and stops at the limit: costs no more than what is allowed. */
function flawOf(value: unknown, most: number): string | undefined {
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
