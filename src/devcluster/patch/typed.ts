// The walkers of server-side apply over (value, schema): which fields a value has, what changed
// between two values, the merge of an applied configuration, and the removal of fields.
// Semantics: Kubernetes' structured merge and diff.
import { isEqual } from '#machines/kubernetes/json.ts';
import type { Schema } from '../contract.ts';
import { isRecord } from '../schema/record.ts';
import type { FieldSet } from './field-set.ts';
import { childOf, emptySet } from './field-set.ts';
import { elementOf, fieldSchema, mergeTypeOf } from './merge-type.ts';
import type { ListKey } from './merge-type.ts';

/** Thrown for an applied list whose items cannot be told apart; apply.ts turns it into a value. */
export class MergeTypeError extends Error {}

/** The fields that a value sets, as a manager that applies it owns them. */
export function fieldsOf(value: unknown, schema: Schema): FieldSet {
  const set = emptySet();
  collect(value, schema, set);
  return set;
}

function collect(value: unknown, schema: Schema, into: FieldSet): void {
  const type = mergeTypeOf(schema, value);
  if (type.kind === 'map' && isRecord(value)) {
    for (const [name, field] of Object.entries(value)) {
      const kid = childOf(into, `f:${name}`);
      collect(field, fieldSchema(type, name), kid);
      const isEmpty = isRecord(field) && Object.keys(field).length === 0;
      if (!type.fields.has(name) || isEmpty) kid.own = true;
    }
  } else if (type.kind === 'list' && Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const kid = childOf(into, elementOf(type.keys, item) ?? `i:${index}`);
      collect(item, type.item, kid);
      kid.own = true;
    }
  } else {
    into.own = true;
  }
}

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** What changed from one value to the other, at the granularity of the schema. */
export function compare(before: unknown, after: unknown, schema: Schema): Comparison {
  const result = { added: emptySet(), modified: emptySet(), removed: emptySet() };
  compareInto(before, after, schema, [], result);
  return result;
}

const isHollow = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0);

function insert(set: FieldSet, path: readonly string[]): void {
  if (path.length === 0) return;
  let node = set;
  for (const element of path) node = childOf(node, element);
  node.own = true;
}

function compareInto(
  before: unknown,
  after: unknown,
  schema: Schema,
  path: string[],
  result: Comparison,
): void {
  if (before === after) return;
  const left = mergeTypeOf(schema, before ?? after);
  const right = mergeTypeOf(schema, after ?? before);
  if (left.kind === 'leaf' || left !== right || (isHollow(before) && isHollow(after))) {
    if (before === undefined) insert(result.added, path);
    else if (after === undefined) insert(result.removed, path);
    else if (!isEqual(before, after)) insert(result.modified, path);
    return;
  }
  if (left.kind === 'map') {
    const a = isRecord(before) ? before : {};
    const b = isRecord(after) ? after : {};
    for (const name of Object.keys(a))
      descend(a[name], b[name], fieldSchema(left, name), `f:${name}`);
    for (const name of Object.keys(b))
      if (!Object.hasOwn(a, name))
        descend(undefined, b[name], fieldSchema(left, name), `f:${name}`);
  } else {
    const a = indexItems(left.keys, before);
    const b = indexItems(left.keys, after);
    for (const [element, item] of a) descend(item, b.get(element), left.item, element);
    for (const [element, item] of b)
      if (!a.has(element)) descend(undefined, item, left.item, element);
  }
  if (before === undefined) insert(result.added, path);
  else if (after === undefined) insert(result.removed, path);

  function descend(a: unknown, b: unknown, inner: Schema, element: string): void {
    path.push(element);
    compareInto(a, b, inner, path, result);
    path.pop();
  }
}

/** Items by path element, the first of equal ones; without a key the index stands in. */
function indexItems(keys: readonly ListKey[], value: unknown): Map<string, unknown> {
  const items = new Map<string, unknown>();
  if (!Array.isArray(value)) return items;
  for (const [index, item] of value.entries()) {
    const element = elementOf(keys, item) ?? `i:${index}`;
    if (!items.has(element)) items.set(element, item);
  }
  return items;
}

/** The live value with an applied configuration laid over it. */
export function mergeApplied(live: unknown, applied: unknown, schema: Schema): unknown {
  if (applied === undefined) return live;
  if (live === undefined) checkItems(applied, schema);
  const type = mergeTypeOf(schema, applied);
  if (live === undefined || type.kind === 'leaf' || mergeTypeOf(schema, live) !== type)
    return applied;
  if (type.kind === 'map' && isRecord(live) && isRecord(applied)) {
    const result: Record<string, unknown> = { ...live };
    for (const [name, value] of Object.entries(applied)) {
      result[name] = mergeApplied(live[name], value, fieldSchema(type, name));
    }
    return result;
  }
  if (type.kind === 'list') return mergeItems(live, applied, type.keys, type.item);
  return applied;
}

/** Throws where an applied list has an item without its keys, or the same item twice. */
function checkItems(value: unknown, schema: Schema): void {
  const type = mergeTypeOf(schema, value);
  if (type.kind === 'map' && isRecord(value)) {
    for (const [name, field] of Object.entries(value)) checkItems(field, fieldSchema(type, name));
  } else if (type.kind === 'list') {
    for (const item of strictItems(type.keys, value).values()) checkItems(item, type.item);
  }
}

function strictItems(keys: readonly ListKey[], value: unknown): Map<string, unknown> {
  const items = new Map<string, unknown>();
  if (!Array.isArray(value)) return items;
  for (const [index, item] of value.entries()) {
    const element = elementOf(keys, item);
    if (element === undefined) throw new MergeTypeError(missingKey(keys, item, index));
    if (items.has(element))
      throw new MergeTypeError(`duplicate entries for key ${printKey(element)}`);
    items.set(element, item);
  }
  return items;
}

function missingKey(keys: readonly ListKey[], item: unknown, index: number): string {
  if (keys.length === 0) return `element ${index}: a set may hold scalars only`;
  if (!isRecord(item))
    return `element ${index}: associative list with keys may not have non-map elements`;
  const name = keys.find((key) => (item[key.name] ?? key.default) === undefined)?.name ?? '';
  return (
    `element ${index}: associative list with keys has an element that omits key field ` +
    `"${name}" (and doesn't have default value)`
  );
}

const printKey = (element: string): string =>
  element.startsWith('v:')
    ? `[=${element.slice(2)}]`
    : `[${element
        .slice(3, -1)
        .replaceAll('":', '=')
        .replaceAll(/(^|,)"/g, '$1')}]`;

/**
 * Applied items in their order; live items that were not applied keep their place relative to the
 * shared item that they followed.
 */
function mergeItems(
  live: unknown,
  applied: unknown,
  keys: readonly ListKey[],
  item: Schema,
): unknown[] {
  const old = indexItems(keys, live);
  const wanted = strictItems(keys, applied);
  const followers = new Map<string, unknown[]>();
  let anchor = '';
  for (const [element, value] of old) {
    if (wanted.has(element)) anchor = element;
    else followers.set(anchor, [...(followers.get(anchor) ?? []), value]);
  }
  const result = [...(followers.get('') ?? [])];
  for (const [element, value] of wanted) {
    result.push(mergeApplied(old.get(element), value, item));
    result.push(...(followers.get(element) ?? []));
  }
  return result;
}

/**
 * The value without the fields of the set. What becomes empty by that goes as well, unless it is in
 * the protected set itself (somebody applied an empty map or list).
 */
export function removeFields(
  value: unknown,
  set: FieldSet,
  schema: Schema,
  shield: FieldSet | undefined,
): unknown {
  if (set.kids.size === 0) return value;
  const type = mergeTypeOf(schema, value);
  if (type.kind === 'map' && isRecord(value)) {
    const result: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(value)) {
      const kept = keep(field, set, shield, `f:${name}`, fieldSchema(type, name));
      if (kept !== undefined) result[name] = kept;
    }
    return shield?.own || Object.keys(result).length > 0 ? result : undefined;
  }
  if (type.kind === 'list' && Array.isArray(value)) {
    const result = value
      .map((item: unknown, index) => {
        const element = elementOf(type.keys, item) ?? `i:${index}`;
        return keep(item, set, shield, element, type.item);
      })
      .filter((item) => item !== undefined);
    return shield?.own || result.length > 0 ? result : undefined;
  }
  return value;
}

function keep(
  value: unknown,
  set: FieldSet,
  shield: FieldSet | undefined,
  element: string,
  schema: Schema,
): unknown {
  const inner = set.kids.get(element);
  if (inner === undefined) return value;
  const under = shield?.kids.get(element);
  // A map or list that still holds something applied stays, even if it was itself applied before.
  return inner.own && under === undefined ? undefined : removeFields(value, inner, schema, under);
}
