// The value checks of a schema beyond its type, in kube-apiserver's words: ranges, lengths,
// patterns, formats, enums, list types. Compiled once per node by compile.ts and run by
// validate.ts.
import type { FieldErrorType } from '#machines/kubernetes/field-errors.ts';
import { isEqual } from '#machines/kubernetes/json.ts';
import type { Schema } from '../contract.ts';
import { quantityOf } from '../strategies/quantity.ts';
import { resolve } from './definitions.ts';
import { checkFormat } from './formats.ts';
import { patternOf } from './patterns.ts';
import { isRecord } from './record.ts';

export interface Finding {
  readonly type: FieldErrorType;
  readonly detail: string;
  /** Another value than the one that was checked. */
  readonly value?: unknown;
  /** For a duplicate: the index of the item. */
  readonly index?: number;
}

/** Looks at a value of the right type; undefined where it is fine. `path` is for the text. */
export type Check = (value: unknown, path: () => string) => Finding | undefined;

const invalid = (detail: string): Finding => ({ type: 'FieldValueInvalid', detail });

/** All checks of a schema in the order in which kube-apiserver reports them. */
export function compileChecks(schema: Schema): readonly Check[] {
  const checks: Check[] = [];
  for (const make of makers) {
    const check = make(schema);
    if (check !== undefined) checks.push(check);
  }
  return checks;
}

type Maker = (schema: Schema) => Check | undefined;

const numberAt = (schema: Schema, key: string): number | undefined => {
  const value = schema[key];
  return typeof value === 'number' ? value : undefined;
};

const enumeration: Maker = (schema) => {
  const allowed = schema['enum'];
  if (!Array.isArray(allowed)) return undefined;
  const list = allowed.map((value) => JSON.stringify(value)).join(', ');
  return (value) =>
    allowed.some((candidate) => isEqual(candidate, value))
      ? undefined
      : { type: 'FieldValueNotSupported', detail: `supported values: ${list}` };
};

const minimum: Maker = (schema) => {
  const limit = numberAt(schema, 'minimum');
  if (limit === undefined) return undefined;
  const exclusive = schema['exclusiveMinimum'] === true;
  return (value, path) => {
    if (typeof value !== 'number' || value > limit || (value === limit && !exclusive))
      return undefined;
    const bound = exclusive ? 'greater than' : 'greater than or equal to';
    return invalid(`${path()} in body should be ${bound} ${limit}`);
  };
};

const maximum: Maker = (schema) => {
  const limit = numberAt(schema, 'maximum');
  if (limit === undefined) return undefined;
  const exclusive = schema['exclusiveMaximum'] === true;
  return (value, path) => {
    if (typeof value !== 'number' || value < limit || (value === limit && !exclusive))
      return undefined;
    const bound = exclusive ? 'less than' : 'less than or equal to';
    return invalid(`${path()} in body should be ${bound} ${limit}`);
  };
};

const multipleOf: Maker = (schema) => {
  const factor = numberAt(schema, 'multipleOf');
  if (factor === undefined) return undefined;
  return (value, path) =>
    typeof value === 'number' && !Number.isInteger(value / factor)
      ? invalid(`${path()} in body should be a multiple of ${factor}`)
      : undefined;
};

/** Characters as Go counts them: code points. */
const lengthOf = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

const minLength: Maker = (schema) => {
  const limit = numberAt(schema, 'minLength');
  if (limit === undefined) return undefined;
  return (value, path) =>
    typeof value === 'string' && lengthOf(value) < limit
      ? invalid(`${path()} in body should be at least ${limit} chars long`)
      : undefined;
};

const maxLength: Maker = (schema) => {
  const limit = numberAt(schema, 'maxLength');
  if (limit === undefined) return undefined;
  return (value) =>
    typeof value === 'string' && lengthOf(value) > limit
      ? { type: 'FieldValueTooLong', detail: `may not be more than ${limit} bytes` }
      : undefined;
};

/** A pattern that cannot be read is refused when a CRD is created (structure.ts). */
function readable(source: string): RegExp | undefined {
  const known = readables.get(source);
  if (known !== undefined) return known;
  try {
    const expression = patternOf(source);
    readables.set(source, expression);
    return expression;
  } catch {
    return undefined;
  }
}

/** A pod schema repeats a handful of patterns hundreds of times. */
const readables = new Map<string, RegExp>();

const pattern: Maker = (schema) => {
  const source = schema['pattern'];
  if (typeof source !== 'string') return undefined;
  const expression = readable(source);
  if (expression === undefined) return undefined;
  return (value, path) =>
    typeof value === 'string' && !expression.test(value)
      ? invalid(`${path()} in body should match '${source}'`)
      : undefined;
};

const format: Maker = (schema) => {
  const name = schema['format'];
  if (typeof name !== 'string') return undefined;
  return (value, path) =>
    checkFormat(name, value)
      ? undefined
      : {
          type: 'FieldValueTypeInvalid',
          detail: `${path()} in body must be of type ${name}: ${JSON.stringify(value)}`,
        };
};

const quantityPattern = "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** A quantity that is none cannot be decoded, so it is of a wrong type. */
export const checkQuantity: Check = (value) =>
  quantityOf(value) === undefined
    ? {
        type: 'FieldValueTypeInvalid',
        detail: `quantities must match the regular expression ${quantityPattern}`,
      }
    : undefined;

const items: Maker = (schema) => {
  const least = numberAt(schema, 'minItems') ?? 0;
  const most = numberAt(schema, 'maxItems') ?? Infinity;
  if (least === 0 && most === Infinity) return undefined;
  return (value, path) => {
    if (!Array.isArray(value)) return undefined;
    if (value.length < least)
      return invalid(`${path()} in body should have at least ${least} items`);
    if (value.length <= most) return undefined;
    const detail = `must have at most ${most} items`;
    return { type: 'FieldValueTooMany', detail, value: value.length };
  };
};

const properties: Maker = (schema) => {
  const least = numberAt(schema, 'minProperties') ?? 0;
  const most = numberAt(schema, 'maxProperties') ?? Infinity;
  if (least === 0 && most === Infinity) return undefined;
  return (value, path) => {
    if (!isRecord(value)) return undefined;
    const count = Object.keys(value).length;
    if (count < least) return invalid(`${path()} in body should have at least ${least} properties`);
    if (count <= most) return undefined;
    return { type: 'FieldValueTooMany', detail: `must have at most ${most} items`, value: count };
  };
};

/** Lists of type set and map hold no item twice. */
const duplicates: Maker = (schema) => {
  const listType = schema['x-kubernetes-list-type'];
  if (listType !== 'set' && listType !== 'map') return undefined;
  const names = Array.isArray(schema['x-kubernetes-list-map-keys'])
    ? schema['x-kubernetes-list-map-keys'].map(String)
    : [];
  const item = isRecord(schema['items']) ? resolve(schema['items']) : {};
  const fallbacks = isRecord(item['properties']) ? item['properties'] : {};
  const identity = (value: unknown): unknown => {
    if (listType === 'set' || !isRecord(value)) return value;
    const pairs = names.map((name) => {
      const field = fallbacks[name];
      return [name, value[name] ?? (isRecord(field) ? field['default'] : undefined)];
    });
    return Object.fromEntries(pairs);
  };
  return (value) => {
    if (!Array.isArray(value) || value.length < 2) return undefined;
    const seen = new Set<string>();
    for (const [index, each] of value.entries()) {
      const id = identity(each);
      const text = JSON.stringify(id);
      if (seen.has(text)) return { type: 'FieldValueDuplicate', detail: '', value: id, index };
      seen.add(text);
    }
    return undefined;
  };
};

const makers: readonly Maker[] = [
  format,
  pattern,
  minLength,
  maxLength,
  minimum,
  maximum,
  multipleOf,
  enumeration,
  items,
  properties,
  duplicates,
];
