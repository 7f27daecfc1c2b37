// Schemas compiled to nodes that are quick to walk, once per schema object. Defaulting, pruning,
// validation and rules (defaults.ts, prune.ts, validate.ts, cel/validate.ts) all walk these nodes.
import type { Schema } from '../contract.ts';
import { definitions, refName, resolve } from './definitions.ts';
import { checkQuantity, compileChecks } from './checks.ts';
import type { Check } from './checks.ts';
import { metadataSchema, objectSchema } from './object-schema.ts';
import { isRecord } from './record.ts';

export type NodeType =
  | 'object'
  | 'array'
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'int-or-string'
  | 'any';

export interface Node {
  readonly schema: Schema;
  readonly type: NodeType;
  readonly nullable: boolean;
  /** From a built-in definition: null means absent, and unknown fields are dropped by decoding. */
  readonly native: boolean;
  /** Unknown fields stay. */
  readonly preserves: boolean;
  readonly fields: ReadonlyMap<string, Node>;
  readonly required: readonly string[];
  /** Values of free keys. */
  readonly rest: Node | undefined;
  readonly items: Node | undefined;
  /** Fields that have a default. */
  readonly defaults: readonly (readonly [name: string, value: unknown])[];
  readonly hasDefaultsBelow: boolean;
  /** Some node here or below has x-kubernetes-validations. */
  readonly hasRulesBelow: boolean;
  /** Lengths, ranges, patterns, enums, duplicates, ... beyond the type. */
  readonly checks: readonly Check[];
}

type Draft = { -readonly [key in keyof Node]: Node[key] };

const nativeRoots = new WeakSet(definitions.values());
const caches = { native: new WeakMap<Schema, Node>(), custom: new WeakMap<Schema, Node>() };

const quantity = 'io.k8s.apimachinery.pkg.api.resource.Quantity';

/** Definitions that are written as a number or a text. */
const numberOrText = new Set([quantity, 'io.k8s.apimachinery.pkg.util.intstr.IntOrString']);

/** The node of a whole object. */
export const compileObject = (schema: Schema): Node => compile(objectSchema(schema));

/** The node of any schema; the same node for the same schema object. */
export const compile = (schema: Schema): Node => compileIn(schema, false);

function compileIn(schema: Schema, insideNative: boolean): Node {
  const name = refName(schema);
  const target = resolve(schema);
  const native = insideNative || name !== undefined || nativeRoots.has(target);
  const cache = native ? caches.native : caches.custom;
  const known = cache.get(target);
  if (known !== undefined) return known;
  const fields = new Map<string, Node>();
  const draft: Draft = {
    schema: target,
    type: name !== undefined && numberOrText.has(name) ? 'int-or-string' : typeOf(target),
    nullable: native || target['nullable'] === true,
    native,
    preserves: preserves(target, native),
    fields,
    required: namesAt(target, 'required'),
    rest: undefined,
    items: undefined,
    defaults: [],
    hasDefaultsBelow: native,
    hasRulesBelow: Array.isArray(target['x-kubernetes-validations']),
    checks: name === quantity ? [checkQuantity] : compileChecks(target),
  };
  cache.set(target, draft);
  compileChildren(draft, fields, native);
  return draft;
}

function compileChildren(draft: Draft, fields: Map<string, Node>, native: boolean): void {
  const { schema } = draft;
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const defaults: (readonly [string, unknown])[] = [];
  for (const [name, field] of Object.entries(properties)) {
    if (!isRecord(field)) continue;
    fields.set(name, compileIn(field, native));
    if (field['default'] !== undefined) defaults.push([name, field['default']]);
  }
  if (schema['x-kubernetes-embedded-resource'] === true) {
    fields.set('apiVersion', compileIn({ type: 'string' }, native));
    fields.set('kind', compileIn({ type: 'string' }, native));
    fields.set('metadata', compileIn(metadataSchema, native));
  }
  draft.defaults = defaults;
  const { additionalProperties, items } = schema;
  if (isRecord(additionalProperties)) draft.rest = compileIn(additionalProperties, native);
  if (isRecord(items)) draft.items = compileIn(items, native);
  const children = [...fields.values(), draft.rest, draft.items];
  draft.hasDefaultsBelow ||= defaults.length > 0 || children.some((node) => node?.hasDefaultsBelow);
  draft.hasRulesBelow ||= children.some((node) => node?.hasRulesBelow === true);
}

function typeOf(schema: Schema): NodeType {
  if (schema['x-kubernetes-int-or-string'] === true) return 'int-or-string';
  const { type } = schema;
  switch (type) {
    case 'object':
    case 'array':
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return type;
    default:
      return 'any';
  }
}

/** Native objects without any declared field hold raw JSON (RawExtension, FieldsV1). */
function preserves(schema: Schema, native: boolean): boolean {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return true;
  if (schema['additionalProperties'] === true) return true;
  const isOpen = schema['properties'] === undefined && schema['additionalProperties'] === undefined;
  return native && isOpen;
}

const namesAt = (schema: Schema, key: string): string[] => {
  const list = schema[key];
  return Array.isArray(list) ? list.map(String) : [];
};
