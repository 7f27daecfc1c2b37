// JSON merge patch (RFC 7386): null deletes, objects are merged, everything else replaces.
import { isObject } from '#machines/kubernetes/json.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';

/** The patched value; neither input is changed, parts may be shared with them. */
export function mergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: JsonObject = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = mergePatch(result[name] ?? null, value);
  }
  return result;
}
