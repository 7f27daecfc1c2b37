// The schema of a whole object. A CRD's schema leaves apiVersion, kind and metadata to the server,
// which knows them for every kind; walkers over objects ask here for the complete one.
import type { Schema } from '../contract.ts';
import { resolve } from './definitions.ts';
import { isRecord } from './record.ts';

/** ObjectMeta, the same for every kind. */
export const metadataSchema: Schema = {
  $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
};

const text: Schema = { type: 'string' };
const wholes = new WeakMap<Schema, Schema>();

/** The schema with the fields that every object has; cached, so that caches keyed by it hold. */
export function objectSchema(schema: Schema): Schema {
  const known = wholes.get(schema);
  if (known !== undefined) return known;
  const root = resolve(schema);
  const properties = isRecord(root['properties']) ? root['properties'] : {};
  const own = properties['metadata'];
  const isComplete = isRecord(own) && typeof own['$ref'] === 'string';
  const whole = isComplete ? root : { ...root, type: 'object', properties: complete(properties) };
  wholes.set(schema, whole);
  wholes.set(whole, whole);
  return whole;
}

const complete = (properties: Record<string, unknown>): Record<string, unknown> => ({
  ...properties,
  apiVersion: properties['apiVersion'] ?? text,
  kind: properties['kind'] ?? text,
  metadata: metadataSchema,
});
