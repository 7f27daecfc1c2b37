// A new object of a built-in kind before anybody has written it: Go's structs are there from the
// start, so that who creates the object does not come to own them, but only what is in them.
import type { Schema } from '../contract.ts';
import { refName, resolve } from '../schema/definitions.ts';
import { isRecord } from '../schema/record.ts';

/** Fields that hold structs, not pointers to them. */
const structs = [
  'metadata',
  'spec',
  'status',
  'involvedObject',
  'source',
  'roleRef',
  'loadBalancer',
];

const known = new WeakMap<Schema, Record<string, unknown>>();

/** `{ metadata: {}, spec: { containers: [] }, ... }` of a Pod; not to be changed. */
export function blankOf(schema: Schema): Record<string, unknown> {
  const made = known.get(schema) ?? blank(schema);
  known.set(schema, made);
  return made;
}

function blank(schema: Schema): Record<string, unknown> {
  const { properties, required } = resolve(schema);
  if (!isRecord(properties)) return {};
  const result: Record<string, unknown> = {};
  for (const name of structs) {
    const field = properties[name];
    if (isRecord(field)) result[name] = name === 'metadata' ? {} : blank(field);
  }
  for (const name of Array.isArray(required) ? required.map(String) : []) {
    const field = properties[name];
    if (isRecord(field) && field['type'] === 'array') result[name] = [];
  }
  for (const [name, field] of Object.entries(properties)) {
    if (isRecord(field) && refName(field)?.endsWith('Time') === true) result[name] = null;
  }
  return result;
}
