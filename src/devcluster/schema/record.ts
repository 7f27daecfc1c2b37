// Narrowing of unknown JSON, shared by everything in schema/ and patch/.
import { isObject } from '#machines/kubernetes/json.ts';

/** True for a JSON object: not null, not a list. */
export const isRecord: (value: unknown) => value is Record<string, unknown> = isObject;

/** The object at a key, or an empty one. */
export const recordAt = (value: unknown, key: string): Record<string, unknown> => {
  const inner = isRecord(value) ? value[key] : undefined;
  return isRecord(inner) ? inner : {};
};

/** The list at a key, or an empty one. */
export const listAt = (value: unknown, key: string): readonly unknown[] => {
  const inner = isRecord(value) ? value[key] : undefined;
  return Array.isArray(inner) ? inner : [];
};

/** The string at a key, or an empty one. */
export const textAt = (value: unknown, key: string): string => {
  const inner = isRecord(value) ? value[key] : undefined;
  return typeof inner === 'string' ? inner : '';
};

/** The value at a path of keys, undefined where a step is missing or no object. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const key of path) {
    if (!isRecord(current)) return undefined;
    current = current[key];
  }
  return current;
}
