// Strategic merge patch of built-in kinds: lists with a merge key are merged item by item, and the
// directives $patch, $retainKeys, $setElementOrder and $deleteFromPrimitiveList are obeyed. The
// REST layer calls it; custom resources have no strategic merge.
import { isObject } from '#machines/kubernetes/json.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import type { Schema } from '../contract.ts';
import { resolve } from '../schema/definitions.ts';
import { isRecord } from '../schema/record.ts';
import { mergeList, mergeScalars, orderOnly } from './strategic-list.ts';
import { MissingMergeKey, StrategicPatchError, withoutDirectives } from './strategic-list.ts';

const directive = '$patch';
const retainKeys = '$retainKeys';
const deletePrefix = '$deleteFromPrimitiveList/';
const orderPrefix = '$setElementOrder/';

export type StrategicResult =
  | { readonly value: JsonObject }
  /** `isFault`: a real server takes it for a fault of its own (500). */
  | { readonly error: string; readonly isFault?: boolean };

/** The patched object, or what is wrong with the patch. Neither input is changed. */
export function strategicPatch(
  target: JsonObject,
  patch: JsonObject,
  schema: Schema,
): StrategicResult {
  try {
    return { value: mergeObject(target, patch, schema) };
  } catch (error) {
    if (error instanceof StrategicPatchError) {
      return { error: error.message, isFault: error instanceof MissingMergeKey };
    }
    throw error;
  }
}

/** How one field is patched, from `x-kubernetes-patch-strategy` and `-merge-key`. */
interface FieldRule {
  readonly schema: Schema;
  readonly merges: boolean;
  readonly replaces: boolean;
  readonly mergeKey: string;
}

function ruleOf(schema: Schema, name: string): FieldRule {
  const parent = resolve(schema);
  const properties = isRecord(parent['properties']) ? parent['properties'] : {};
  const own = properties[name] ?? parent['additionalProperties'];
  const field: Schema = isRecord(own) ? own : {};
  const strategies = String(field['x-kubernetes-patch-strategy'] ?? '').split(',');
  const mergeKey = field['x-kubernetes-patch-merge-key'];
  return {
    schema: field,
    merges: strategies.includes('merge'),
    replaces: strategies.includes('replace'),
    mergeKey: typeof mergeKey === 'string' ? mergeKey : '',
  };
}

/** Merges a patch into an object; `target` undefined where there is none yet. */
function mergeObject(
  target: JsonObject | undefined,
  patch: JsonObject,
  schema: Schema,
): JsonObject {
  const how = patch[directive];
  if (how === 'delete') return {};
  if (how === 'replace') return withoutDirectives(patch);
  if (how !== undefined && how !== 'merge') {
    throw new StrategicPatchError(
      `$patch: unknown value ${JSON.stringify(how)}: must be one of delete, merge, replace`,
    );
  }
  const result: JsonObject = retained(target ?? {}, patch);
  for (const [key, value] of Object.entries(patch)) {
    if (key === directive || key === retainKeys) continue;
    if (key.startsWith(deletePrefix)) deleteScalars(result, key.slice(deletePrefix.length), value);
    else if (key.startsWith(orderPrefix)) orderAlone(result, patch, key, schema);
    else if (value === null) delete result[key];
    else mergeField(result, patch, key, value, ruleOf(schema, key));
  }
  return result;
}

function mergeField(
  result: JsonObject,
  patch: JsonObject,
  key: string,
  value: Json,
  rule: FieldRule,
): void {
  const old = result[key];
  if (isObject(value)) {
    const isDeletion = value[directive] === 'delete';
    if (isDeletion) delete result[key];
    else if (rule.replaces) result[key] = withoutDirectives(value);
    else result[key] = mergeObject(isObject(old) ? old : undefined, value, rule.schema);
    return;
  }
  if (!Array.isArray(value) || !rule.merges) {
    result[key] = value;
    return;
  }
  const before = Array.isArray(old) ? old : [];
  const order = orderOf(patch, key);
  if (rule.mergeKey === '') {
    result[key] = mergeScalars(before, value, order);
    return;
  }
  const items = itemSchema(rule);
  const mergeItem = (target: JsonObject | undefined, item: JsonObject): JsonObject =>
    mergeObject(target, item, items);
  const { mergeKey } = rule;
  result[key] = mergeList({ key, before, patch: value, order, mergeKey, mergeItem });
}

const itemSchema = (rule: FieldRule): Schema => {
  const items = rule.schema['items'];
  return isRecord(items) ? items : {};
};

function orderOf(patch: JsonObject, key: string): readonly Json[] | undefined {
  const order = patch[`${orderPrefix}${key}`];
  if (order === undefined) return undefined;
  if (Array.isArray(order)) return order;
  throw new StrategicPatchError(`${orderPrefix}${key}: must be a list`);
}

/** An order without a patch of the list itself only moves items. */
function orderAlone(result: JsonObject, patch: JsonObject, name: string, schema: Schema): void {
  const key = name.slice(orderPrefix.length);
  const list = result[key];
  const order = orderOf(patch, key);
  if (patch[key] !== undefined || !Array.isArray(list) || order === undefined) return;
  result[key] = orderOnly(list, order, list, ruleOf(schema, key).mergeKey);
}

function deleteScalars(result: JsonObject, key: string, value: Json): void {
  if (!Array.isArray(value)) {
    throw new StrategicPatchError(`${deletePrefix}${key}: must be a list of the values to delete`);
  }
  const list = result[key];
  if (Array.isArray(list)) result[key] = list.filter((item) => !value.includes(item));
}

/** A copy of the target, without the fields that `$retainKeys` does not name. */
function retained(target: JsonObject, patch: JsonObject): JsonObject {
  const keys = patch[retainKeys];
  if (keys === undefined) return { ...target };
  if (!Array.isArray(keys)) throw new StrategicPatchError(`${retainKeys}: must be a list of names`);
  const missing = Object.keys(patch).find(
    (key) => !key.startsWith('$') && patch[key] !== null && !keys.includes(key),
  );
  if (missing !== undefined) {
    throw new StrategicPatchError(`${retainKeys}: must name ${missing}, which the patch sets`);
  }
  return Object.fromEntries(Object.entries(target).filter(([key]) => keys.includes(key)));
}
