// Reads and writes fields of plain JSON without casts, for those who look into objects of which
// only the outermost shape is known: "absent" is the answer for a value of another type, so a
// malformed object never throws.
import { isObject } from './json.ts';
import type { Json, JsonObject } from './objects.ts';

export const objectAt = (object: JsonObject | undefined, key: string): JsonObject | undefined => {
  const value = object?.[key];
  return isObject(value) ? value : undefined;
};

export const listAt = (object: JsonObject | undefined, key: string): Json[] => {
  const value = object?.[key];
  return Array.isArray(value) ? value : [];
};

/** The elements of a list that are objects. */
export const objectsAt = (object: JsonObject | undefined, key: string): JsonObject[] =>
  listAt(object, key).filter(isObject);

/** The string at the key; an empty string where there is none, as Go's zero value. */
export const textAt = (object: JsonObject | undefined, key: string): string => {
  const value = object?.[key];
  return typeof value === 'string' ? value : '';
};

export const numberAt = (object: JsonObject | undefined, key: string): number | undefined => {
  const value = object?.[key];
  return typeof value === 'number' ? value : undefined;
};

export const isTrue = (object: JsonObject | undefined, key: string): boolean =>
  object?.[key] === true;

/** The strings of a map such as labels. */
export const textsAt = (object: JsonObject | undefined, key: string): Record<string, string> => {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(objectAt(object, key) ?? {})) {
    if (typeof value === 'string') texts[name] = value;
  }
  return texts;
};

/** The object at the key, created when there is none. */
export function ensureObject(object: JsonObject, key: string): JsonObject {
  const present = objectAt(object, key);
  if (present !== undefined) return present;
  const created: JsonObject = {};
  object[key] = created;
  return created;
}

/** Sets the field unless it holds a value. */
export function setDefault(object: JsonObject, key: string, value: Json): void {
  if (object[key] === undefined || object[key] === null) object[key] = value;
}
