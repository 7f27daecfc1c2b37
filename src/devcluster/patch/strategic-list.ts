// The lists of a strategic merge patch: merging items by their merge key, merging sets of scalars,
// and the order that `$setElementOrder` asks for. Called by strategic.ts only.
import type { Json, JsonObject } from '#machines/objects.ts';

/** A patch that contradicts itself or the schema; the text is for the client. */
export class StrategicPatchError extends Error {}

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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
  isJsonObject(item) && item[mergeKey] === value;

/** Merges, adds and deletes items; an item `{$patch: replace}` replaces the whole list. */
export function mergeList(list: ListPatch): Json[] {
  const { mergeKey, patch, mergeItem } = list;
  const items = patch.map((item) => {
    if (isJsonObject(item)) return item;
    throw new StrategicPatchError(`${list.key}: every item must be an object with ${mergeKey}`);
  });
  if (items.some((item) => item['$patch'] === 'replace' && item[mergeKey] === undefined)) {
    return items.filter((item) => item['$patch'] !== 'replace').map(withoutDirectives);
  }
  let result = [...list.before];
  for (const item of items) {
    const value = item[mergeKey];
    if (value === undefined) {
      throw new StrategicPatchError(
        `${list.key}: map: ${JSON.stringify(item)} does not contain declared merge key: ${mergeKey}`,
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
          : mergeItem(isJsonObject(old) ? old : undefined, item);
    }
  }
  return list.order === undefined ? result : orderOnly(result, list.order, mergeKey);
}

/** The union of two sets of scalars, the old ones first unless an order is given. */
export function mergeScalars(
  before: readonly Json[],
  patch: readonly Json[],
  order: readonly Json[] | undefined,
): Json[] {
  const result = [...new Set([...before, ...patch])];
  return order === undefined ? result : orderOnly(result, order, '');
}

/**
 * Sorts the items that the order names as it names them; an item that it does not name stays behind
 * the one that it stood behind.
 */
export function orderOnly(
  items: readonly Json[],
  order: readonly Json[],
  mergeKey: string,
): Json[] {
  const idOf = (item: Json): string => {
    const id = mergeKey !== '' && isJsonObject(item) ? item[mergeKey] : item;
    return JSON.stringify(id ?? null);
  };
  const rank = new Map(order.map((item, index) => [idOf(item), index]));
  const named = items.filter((item) => rank.has(idOf(item)));
  const sorted = named.toSorted((a, b) => (rank.get(idOf(a)) ?? 0) - (rank.get(idOf(b)) ?? 0));
  const followers = new Map<string, Json[]>();
  let anchor = '';
  for (const item of items) {
    if (rank.has(idOf(item))) anchor = idOf(item);
    else followers.set(anchor, [...(followers.get(anchor) ?? []), item]);
  }
  const head = followers.get('') ?? [];
  return [...head, ...sorted.flatMap((item) => [item, ...(followers.get(idOf(item)) ?? [])])];
}

/** A value as it is stored: no directive at any depth, no null fields. */
export function withoutDirectives(value: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const [key, field] of Object.entries(value)) {
    if (key.startsWith('$') || field === null) continue;
    result[key] = isJsonObject(field) ? withoutDirectives(field) : field;
  }
  return result;
}
