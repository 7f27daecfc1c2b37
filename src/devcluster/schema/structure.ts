// Whether an OpenAPI schema is structural, as CRDs demand: every value has a type, lists have
// items, keys of lists exist, patterns and defaults are right, rules compile. Called by crd.ts
// only.
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import type { Schema } from '../contract.ts';
import { ruleDefects } from './cel/validate.ts';
import { patternOf } from './patterns.ts';
import { isRecord, listAt, recordAt, textAt } from './record.ts';
import { validate } from './structural.ts';

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

const required = (field: string, detail: string): FieldError => ({
  type: 'FieldValueRequired',
  field,
  detail,
});
const forbidden = (field: string, detail: string): FieldError => ({
  type: 'FieldValueForbidden',
  field,
  detail,
});
const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  value,
  detail,
});

/** Everything that is wrong with the schema of a version. */
export function validateStructure(schema: Schema, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (schema['type'] !== 'object') {
    const value = schema['type'];
    errors.push(
      value === undefined
        ? required(`${field}.type`, 'must not be empty at the root')
        : invalid(`${field}.type`, value, 'must be object at the root'),
    );
  }
  if (schema['nullable'] === true) {
    errors.push(forbidden(`${field}.nullable`, 'nullable cannot be true at the root'));
  }
  visit(schema, field, 'the root', errors);
  return errors;
}

function visit(schema: Schema, field: string, place: string, errors: FieldError[]): void {
  checkType(schema, field, place, errors);
  checkForbidden(schema, field, errors);
  checkList(schema, field, errors);
  checkPattern(schema, field, errors);
  checkDefault(schema, field, errors);
  for (const defect of ruleDefects(schema)) {
    const at = `${field}.x-kubernetes-validations[${defect.index}].${defect.keyword}`;
    errors.push(
      defect.detail === 'rule is not specified'
        ? required(at, defect.detail)
        : invalid(at, defect.value, defect.detail),
    );
  }
  for (const [name, child] of Object.entries(recordAt(schema, 'properties'))) {
    if (isRecord(child))
      visit(child, `${field}.properties[${name}]`, 'specified object fields', errors);
  }
  const { items, additionalProperties } = schema;
  if (isRecord(items)) visit(items, `${field}.items`, 'specified array items', errors);
  if (isRecord(additionalProperties)) {
    visit(additionalProperties, `${field}.additionalProperties`, 'additional properties', errors);
  }
}

function checkType(schema: Schema, field: string, place: string, errors: FieldError[]): void {
  const { type } = schema;
  if (schema['x-kubernetes-int-or-string'] === true) {
    if (type !== undefined) {
      const detail = 'must be empty if x-kubernetes-int-or-string is true';
      errors.push(forbidden(`${field}.type`, detail));
    }
  } else if (type === undefined || type === '') {
    if (schema['x-kubernetes-preserve-unknown-fields'] !== true && place !== 'the root') {
      errors.push(required(`${field}.type`, `must not be empty for ${place}`));
    }
  } else if (!types.includes(String(type))) {
    const detail = `supported values: ${types.map((each) => `"${each}"`).join(', ')}`;
    errors.push({ type: 'FieldValueNotSupported', field: `${field}.type`, value: type, detail });
  }
}

const unsupported = [
  '$ref',
  'definitions',
  'dependencies',
  'patternProperties',
  'deprecated',
  'id',
];

function checkForbidden(schema: Schema, field: string, errors: FieldError[]): void {
  for (const key of unsupported) {
    if (schema[key] !== undefined)
      errors.push(forbidden(`${field}.${key}`, `${key} is not supported`));
  }
  if (schema['uniqueItems'] === true) {
    const detail =
      'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(forbidden(`${field}.uniqueItems`, detail));
  }
  const { properties, additionalProperties } = schema;
  if (additionalProperties === false) {
    const detail = 'additionalProperties cannot be set to false';
    errors.push(forbidden(`${field}.additionalProperties`, detail));
  }
  if (
    isRecord(properties) &&
    additionalProperties !== undefined &&
    additionalProperties !== false
  ) {
    const detail = 'additionalProperties and properties are mutual exclusive';
    errors.push(forbidden(`${field}.additionalProperties`, detail));
  }
}

function checkList(schema: Schema, field: string, errors: FieldError[]): void {
  if (schema['type'] === 'array' && !isRecord(schema['items'])) {
    errors.push(required(`${field}.items`, 'must be specified'));
  }
  const listType = schema['x-kubernetes-list-type'];
  const keys = listAt(schema, 'x-kubernetes-list-map-keys').map(String);
  const at = `${field}.x-kubernetes-list-map-keys`;
  if (listType === undefined) return;
  if (listType !== 'atomic' && listType !== 'set' && listType !== 'map') {
    const detail = 'supported values: "atomic", "map", "set"';
    const wrong = `${field}.x-kubernetes-list-type`;
    errors.push({ type: 'FieldValueNotSupported', field: wrong, value: listType, detail });
    return;
  }
  if (schema['type'] !== 'array') {
    const detail = 'must be array if x-kubernetes-list-type is specified';
    errors.push(invalid(`${field}.type`, schema['type'] ?? '', detail));
  }
  if (listType !== 'map') {
    if (keys.length > 0) {
      errors.push(forbidden(at, 'must be unset if x-kubernetes-list-type is not map'));
    }
    return;
  }
  if (keys.length === 0) {
    errors.push(required(at, 'must not be empty if x-kubernetes-list-type is map'));
  }
  checkKeys(recordAt(schema, 'items'), field, keys, errors);
}

function checkKeys(
  items: Schema,
  field: string,
  keys: readonly string[],
  errors: FieldError[],
): void {
  const properties = recordAt(items, 'properties');
  const mandatory = listAt(items, 'required');
  for (const [index, key] of keys.entries()) {
    const property = properties[key];
    const at = `${field}.x-kubernetes-list-map-keys[${index}]`;
    if (!isRecord(property)) {
      errors.push(invalid(at, key, 'entries must all be names of item properties'));
    } else if (['object', 'array'].includes(textAt(property, 'type'))) {
      const detail = 'must be a scalar type if parent array is a list of type map';
      errors.push(invalid(`${field}.items.properties[${key}].type`, property['type'], detail));
    } else if (property['default'] === undefined && !mandatory.includes(key)) {
      const detail =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a ' +
        'required property';
      errors.push(required(`${field}.items.properties[${key}].default`, detail));
    }
  }
}

function checkPattern(schema: Schema, field: string, errors: FieldError[]): void {
  const { pattern } = schema;
  if (typeof pattern !== 'string') return;
  try {
    patternOf(pattern);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const detail = `must be a valid regular expression, but isn't: ${reason}`;
    errors.push(invalid(`${field}.pattern`, pattern, detail));
  }
}

/** A default must itself be valid where it stands. */
function checkDefault(schema: Schema, field: string, errors: FieldError[]): void {
  const fallback = schema['default'];
  if (fallback === undefined) return;
  const { default: _default, ...rest } = schema;
  for (const error of validate(rest, fallback, `${field}.default`)) errors.push(error);
}
