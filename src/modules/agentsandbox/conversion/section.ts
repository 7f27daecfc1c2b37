// The spec or the status of an object with other fields, for the conversions beside this file.
import { object } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';

/** A section of the object with some fields replaced; undefined takes one away. A section that has
 *  nothing in it and was not there is left out. */
export function withSection(
  from: JsonObject,
  name: 'spec' | 'status',
  fields: Readonly<Record<string, JsonObject[string] | undefined>>,
): JsonObject {
  const section: JsonObject = { ...object(from[name]) };
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) delete section[key];
    else section[key] = value;
  }
  if (Object.keys(section).length === 0 && from[name] === undefined) return from;
  return { ...from, [name]: section };
}
