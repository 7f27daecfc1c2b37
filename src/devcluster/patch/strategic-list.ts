// The lists of a strategic merge patch: merging items by their merge key, merging sets of scalars,
// and the order that `$setElementOrder` or the patch itself asks for. Called by strategic.ts only.
import { isObject } from '#machines/kubernetes/json.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import { goText } from './go-text.ts';

/** A patch that contradicts itself or the schema; the text is for the client. */
export class StrategicPatchError extends Error {}

/** An item without the field that tells it from the others. */
export class MissingMergeKey extends StrategicPatchError {}

export interface ListPatch {
  /** Name of the field, for messages. */
  readonly key: string;
  readonly before: readonly Json[];
  readonly patch: readonly Json[];
  readonly order: readonly Json[] | undefined;
  readonly mergeKey: string;
  /** Merges one item; the target is undefined for a new one. */
  readonly mergeItem: (target: JsonObject | undefined, item: JsonObject) => JsonObject;
}

const hasKey = (item: Json, mergeKey: string, value: Json | undefined): boolean =>
  isObject(item) && item[mergeKey] === value;

/** Merges, adds and deletes items; an item `{$patch: replace}` replaces the whole list. */
export function mergeList(list: ListPatch): Json[] {
  const { mergeKey, patch, mergeItem } = list;
  const items = patch.map((item) => {
    if (isObject(item)) return item;
    throw new StrategicPatchError(`${list.key}: every item must be an object with ${mergeKey}`);
  });
  if (items.some((item) => item['$patch'] === 'replace' && item[mergeKey] === undefined)) {
    return items.filter((item) => item['$patch'] !== 'replace').map(withoutDirectives);
  }
  let result = [...list.before];
  for (const item of items) {
    const value = item[mergeKey];
    if (value === undefined) {
      throw new MissingMergeKey(
        `map: ${goText(item)} does not contain declared merge key: ${mergeKey}`,
      );
    }
    const index = result.findIndex((old) => hasKey(old, mergeKey, value));
    if (item['$patch'] === 'delete') {
      result = result.filter((old) => !hasKey(old, mergeKey, value));
    } else if (index < 0) {
      result.push(mergeItem(undefined, item));
    } else {
      const old = result[index];
      result[index] =
        item['$patch'] === 'replace'
          ? withoutDirectives(item)
          : mergeItem(isObject(old) ? old : undefined, item);
    }
  }
  return orderOnly(result, list.order ?? items, list.before, mergeKey);
}

/** The union of two sets of scalars, in the order of the patch unless another is given. */
export function mergeScalars(
  before: readonly Json[],
  patch: readonly Json[],
  order: readonly Json[] | undefined,
): Json[] {
  const result = [...new Set([...before, ...patch])];
  return orderOnly(result, order ?? patch, before, '');
}

/**
 * Sorts the items that the order names as it names them. An item that it does not name stays before
 * those that it stood before, but what is new stands as early as it may.
 */
export function orderOnly(
  items: readonly Json[],
  order: readonly Json[],
  before: readonly Json[],
  mergeKey: string,
): Json[] {
  const idOf = (item: Json): string => {
    const id = mergeKey !== '' && isObject(item) ? item[mergeKey] : item;
    return JSON.stringify(id ?? null);
  };
  const rank = new Map(order.map((item, index) => [idOf(item), index]));
  const place = new Map(before.map((item, index) => [idOf(item), index]));
  const stoodBefore = (one: Json, other: Json): boolean => {
    const [left, right] = [place.get(idOf(one)), place.get(idOf(other))];
    return left !== undefined && right !== undefined && left < right;
  };
  const named = items.filter((item) => rank.has(idOf(item)));
  const waiting = items.filter((item) => !rank.has(idOf(item)));
  const result: Json[] = [];
  for (const item of named.toSorted(
    (a, b) => (rank.get(idOf(a)) ?? 0) - (rank.get(idOf(b)) ?? 0),
  )) {
    while (waiting[0] !== undefined && stoodBefore(waiting[0], item)) {
      result.push(...waiting.splice(0, 1));
    }
    result.push(item);
  }
  return [...result, ...waiting];
}

/** A value as it is stored: no directive at any depth, no null fields. */
export function withoutDirectives(value: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const [key, field] of Object.entries(value)) {
    if (key.startsWith('$') || field === null) continue;
    result[key] = isObject(field) ? withoutDirectives(field) : field;
  }
  return result;
}
