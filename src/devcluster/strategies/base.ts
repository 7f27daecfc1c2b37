// What strategies have in common: who owns status and spec, and how rules are put together.
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import { immutableField, invalid } from '#machines/kubernetes/field-errors.ts';
import { isEqual } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored, Strategy } from '../contract.ts';

/** For kinds without rules of their own and without a status. */
export const plainStrategy: Strategy = { hasStatus: false };

/** Takes a field from another version of the object, or removes it where that has none. */
export function takeField(object: JsonObject, from: JsonObject, key: string): void {
  const value = from[key];
  if (value === undefined) delete object[key];
  else object[key] = value;
}

/**
 * Adds the split of spec and status to a strategy: a create carries no status, an update of the
 * object keeps the old status, an update of the status keeps everything else but metadata.
 */
export function withStatus(rules: Omit<Strategy, 'hasStatus'>): Strategy {
  return {
    ...rules,
    hasStatus: true,
    prepareCreate: (object, environment) => {
      delete object['status'];
      rules.prepareCreate?.(object, environment);
    },
    prepareUpdate: (object, old, subresource) => {
      if (subresource === 'status') keepAllButStatus(object, old);
      else if (subresource === '') takeField(object, old, 'status');
      rules.prepareUpdate?.(object, old, subresource);
    },
  };
}

function keepAllButStatus(object: Stored, old: Stored): void {
  for (const key of new Set([...Object.keys(object), ...Object.keys(old)])) {
    if (!['status', 'metadata', 'apiVersion', 'kind'].includes(key)) takeField(object, old, key);
  }
}

/** An Invalid where a field is not what it was. */
export function immutable(
  object: JsonObject,
  old: JsonObject,
  key: string,
  field = key,
  detail = immutableField,
): FieldError[] {
  return isEqual(object[key], old[key]) ? [] : [invalid(field, object[key], detail)];
}
