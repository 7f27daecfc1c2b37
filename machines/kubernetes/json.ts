// Total readers for JSON of unknown origin: they look at own properties only, never throw and never
// trust a type. All that reads objects is built on them, so hostile objects end here.
import type { JsonObject } from './objects.ts';

/** True for a plain JSON object (not null, not a list). */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a path of own properties, or undefined where the path ends early. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const key of path) {
    if (!isObject(here) || !Object.hasOwn(here, key)) return undefined;
    here = here[key];
  }
  return here;
}

export const object = (value: unknown): JsonObject => (isObject(value) ? value : {});

const nothing: readonly never[] = Object.freeze([]);

export const list = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : nothing;

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A non-empty string or undefined. */
export const word = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** An integer from 0 to the largest int32, or undefined. */
export const count = (value: unknown): number | undefined =>
  Number.isInteger(value) && typeof value === 'number' && value >= 0 && value <= 2147483647
    ? value
    : undefined;

/** The strings of a list, which is the list itself where it has nothing else. */
export function strings(value: unknown): readonly string[] {
  const all = list(value);
  return all.every(isString) ? all : all.filter(isString);
}

const isString = (value: unknown): value is string => typeof value === 'string';

export type StringMap = Readonly<Record<string, string>>;

const noStrings: StringMap = Object.freeze({});

/** The entries of a map that are strings, which is the map itself where it has no others.
 *  `__proto__` stays an ordinary key. */
export function stringMap(value: unknown): StringMap {
  if (!isObject(value)) return noStrings;
  return isStringMap(value) ? value : Object.fromEntries(stringEntries(value));
}

const isStringMap = (value: JsonObject): value is Record<string, string> =>
  Object.keys(value).every((key) => isString(value[key]));

const stringEntries = (value: JsonObject): readonly [string, string][] =>
  Object.entries(value).filter((entry): entry is [string, string] => isString(entry[1]));

/** Equal as JSON: the order of keys does not matter, a field that is undefined is not there. Builds
 *  no maps: statuses are compared at every plan. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, at) => isEqual(item, b[at]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  return (
    Object.keys(a).every((name) => isEqual(a[name], own(b, name))) &&
    Object.keys(b).every((name) => b[name] === undefined || own(a, name) !== undefined)
  );
}

/** The property, if it is the object's own. */
export const own = (object: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** The named fields that are present, in this order. */
export function pick(from: JsonObject, names: readonly string[]): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const name of names) {
    const value = from[name];
    if (value !== undefined && value !== null) kept[name] = value;
  }
  return kept;
}
