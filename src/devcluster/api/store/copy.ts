// Copies of plain JSON. Stored objects are shared and never mutated, so whatever leaves the server
// in-process, and whatever a strategy may change, goes through here first.
import type { Json } from '#machines/kubernetes/objects.ts';

/** A deep copy; several times cheaper than structuredClone on objects of Kubernetes' size. */
export function copyJson<T extends Json>(value: T): T;
export function copyJson(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const list: Json[] = [];
    for (const item of value) list.push(copyJson(item));
    return list;
  }
  const object: { [key: string]: Json } = {};
  for (const key in value) {
    const item = value[key];
    if (item !== undefined) object[key] = copyJson(item);
  }
  return object;
}
