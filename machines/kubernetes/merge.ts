// Comparing what is wanted with what is there, and the JSON merge patch (RFC 7396) that leads from
// one to the other. Used by every plan that patches children.
import { isEqual, isObject, object, own } from './json.ts';
import type { Json, JsonObject } from './objects.ts';

/**
 * True where everything wanted is there with the same value. More may be there: what the API server
 * defaults, what others add. Lists must have the same length and are compared item by item. A
 * wanted null is no field at all: the API server drops nulls.
 */
export function isWithin(wanted: unknown, there: unknown): boolean {
  if (wanted === there || (wanted === null && there === undefined)) return true;
  if (Array.isArray(wanted)) {
    if (!Array.isArray(there) || wanted.length !== there.length) return false;
    return wanted.every((item, index) => isWithin(item, there[index]));
  }
  if (!isObject(wanted) || !isObject(there)) return false;
  return Object.keys(wanted).every((key) => isWithin(wanted[key], own(there, key)));
}

/** The merge patch that adds and corrects what is wanted and leaves the rest alone. */
export function patchToward(there: unknown, wanted: JsonObject): JsonObject {
  return differences(object(there), wanted, (from, to) =>
    isWithin(to, from) ? undefined : nested(from, to, patchToward),
  );
}

/** The merge patch that makes the whole equal to what is wanted: other keys are set to null. */
export function patchInto(there: unknown, wanted: JsonObject): JsonObject {
  const from = object(there);
  const patch = differences(from, wanted, (a, b) =>
    isEqual(a, b) || (b === null && a === undefined) ? undefined : nested(a, b, patchInto),
  );
  const extra = Object.keys(from).filter((key) => !Object.hasOwn(wanted, key));
  return Object.fromEntries([...Object.entries(patch), ...extra.map((key) => [key, null])]);
}

type Step = (from: unknown, to: Json) => Json | undefined;

function differences(from: JsonObject, wanted: JsonObject, step: Step): JsonObject {
  const entries: [string, Json][] = [];
  for (const [key, to] of Object.entries(wanted)) {
    const difference = step(own(from, key), to);
    if (difference !== undefined) entries.push([key, difference]);
  }
  return Object.fromEntries(entries);
}

const nested = (
  from: unknown,
  to: Json,
  patch: (from: unknown, to: JsonObject) => JsonObject,
): Json => (isObject(from) && isObject(to) ? patch(from, to) : to);

/** Applies a JSON merge patch. */
export function applyPatch(target: unknown, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result = new Map<string, Json>(Object.entries(object(target)));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, applyPatch(result.get(key), value));
  }
  return Object.fromEntries(result);
}
