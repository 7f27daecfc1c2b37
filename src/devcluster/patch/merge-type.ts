// How a schema says that its values are merged: field by field, item by item, or as a whole. The
// field ownership walkers (compare, typed) share it; results are cached per schema object.
import type { Schema } from '../contract.ts';
import { resolve } from '../schema/definitions.ts';
import { metadataSchema } from '../schema/object-schema.ts';
import { isRecord } from '../schema/record.ts';

/**
 * - `leaf`: scalars and everything atomic, owned as a whole.
 * - `map`: a struct (`fields`), a map with free keys (`rest`), or both.
 * - `list`: items are told apart by their `keys`; without keys it is a set of scalars.
 */
export type MergeType =
  | { readonly kind: 'leaf' }
  | { readonly kind: 'map'; readonly fields: ReadonlyMap<string, Schema>; readonly rest: Schema }
  | { readonly kind: 'list'; readonly keys: readonly ListKey[]; readonly item: Schema };

export interface ListKey {
  readonly name: string;
  /** Taken where an item lacks the key. */
  readonly default?: unknown;
}

const leaf: MergeType = { kind: 'leaf' };
/** Without a schema the value decides: objects are merged by key, lists are atomic. */
const deduced: Schema = { 'x-kubernetes-preserve-unknown-fields': true };
const noFields: ReadonlyMap<string, Schema> = new Map();
const deducedMap: MergeType = { kind: 'map', fields: noFields, rest: deduced };

const cache = new WeakMap<Schema, MergeType>();

/** The merge type of a schema; leaf where the value is not of the schema's type. */
export function mergeTypeOf(schema: Schema, value: unknown): MergeType {
  if (value === null || typeof value !== 'object') return leaf;
  let type = cache.get(schema);
  if (type === undefined) {
    type = compile(resolve(schema));
    cache.set(schema, type);
  }
  if (type.kind === 'map') return isRecord(value) ? type : leaf;
  if (type.kind === 'list') return Array.isArray(value) ? type : leaf;
  return leaf;
}

function compile(schema: Schema): MergeType {
  if (schema['x-kubernetes-int-or-string'] === true) return leaf;
  if (schema['type'] === 'array') return compileList(schema);
  const preserves = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema['type'] === 'object') return compileObject(schema, preserves);
  return schema['type'] === undefined && preserves ? deducedMap : leaf;
}

function compileObject(schema: Schema, preserves: boolean): MergeType {
  if (schema['x-kubernetes-map-type'] === 'atomic') return leaf;
  const fields = new Map<string, Schema>();
  const properties = schema['properties'];
  if (isRecord(properties)) {
    for (const [name, field] of Object.entries(properties)) {
      if (isRecord(field)) fields.set(name, field);
    }
  }
  if (schema['x-kubernetes-embedded-resource'] === true) addObjectFields(fields);
  const additional = schema['additionalProperties'];
  if (isRecord(additional)) return { kind: 'map', fields, rest: additional };
  if (fields.size === 0 && !preserves && additional !== true) return leaf;
  return { kind: 'map', fields, rest: deduced };
}

function addObjectFields(fields: Map<string, Schema>): void {
  fields.set('apiVersion', { type: 'string' });
  fields.set('kind', { type: 'string' });
  fields.set('metadata', metadataSchema);
}

function compileList(schema: Schema): MergeType {
  const item = schema['items'];
  if (!isRecord(item)) return leaf;
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'set') return { kind: 'list', keys: [], item };
  if (listType !== 'map') return leaf;
  const names = schema['x-kubernetes-list-map-keys'];
  if (!Array.isArray(names) || names.length === 0) return leaf;
  const properties = resolve(item)['properties'];
  const keys = names.map(String).map((name) => {
    const key = isRecord(properties) ? properties[name] : undefined;
    const fallback = isRecord(key) ? key['default'] : undefined;
    return fallback === undefined ? { name } : { name, default: fallback };
  });
  return { kind: 'list', keys: keys.toSorted((a, b) => (a.name < b.name ? -1 : 1)), item };
}

/**
 * The path element of a list item as fieldsV1 writes it: `k:{"name":"x"}` or `v:"x"`; undefined for
 * an item that lacks a key or is no scalar of a set.
 */
export function elementOf(keys: readonly ListKey[], item: unknown): string | undefined {
  if (keys.length === 0) {
    return item === null || typeof item !== 'object' ? `v:${JSON.stringify(item)}` : undefined;
  }
  if (!isRecord(item)) return undefined;
  let text = '';
  for (const key of keys) {
    const value = item[key.name] ?? key.default;
    if (value === undefined) return undefined;
    text += `${text === '' ? '' : ','}${JSON.stringify(key.name)}:${JSON.stringify(value)}`;
  }
  return `k:{${text}}`;
}

/** The schema of one field of a map type. */
export const fieldSchema = (
  type: { fields: ReadonlyMap<string, Schema>; rest: Schema },
  name: string,
): Schema => type.fields.get(name) ?? type.rest;
