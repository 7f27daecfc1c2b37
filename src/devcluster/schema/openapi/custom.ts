// The OpenAPI definitions of custom kinds, made of their structural schemas, named as
// kube-apiserver names them: `com.example.v1.Widget` and its list.
import type { ResourceInfo, Schema } from '../../contract.ts';
import { isRecord, recordAt } from '../record.ts';
import { definitionNameOf } from '../definitions.ts';

const metaPrefix = '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.';

/** The definition name of any served kind. */
export function nameOfKind(row: ResourceInfo, kind: string = row.kind): string {
  const known = definitionNameOf(row.group, row.version, kind);
  return known ?? `${row.group.split('.').toReversed().join('.')}.${row.version}.${kind}`;
}

const kindMark = (row: ResourceInfo, kind: string): Schema => ({
  'x-kubernetes-group-version-kind': [{ group: row.group, kind, version: row.version }],
});

const apiVersion: Schema = {
  description: 'Group and version of the schema that this object is written in.',
  type: 'string',
};
const kindField: Schema = { description: 'The kind of this object.', type: 'string' };

function listOf(row: ResourceInfo): Schema {
  return {
    description: `A list of ${row.kind} objects.`,
    properties: {
      apiVersion,
      items: {
        description: `The ${row.plural}.`,
        items: { $ref: `#/definitions/${nameOfKind(row)}` },
        type: 'array',
      },
      kind: kindField,
      metadata: { $ref: `${metaPrefix}ListMeta` },
    },
    required: ['items'],
    type: 'object',
    ...kindMark(row, row.listKind),
  };
}

function objectOf(row: ResourceInfo): Schema {
  const { schema } = row;
  if (
    schema['x-kubernetes-preserve-unknown-fields'] === true &&
    schema['properties'] === undefined
  ) {
    return { type: 'object', ...kindMark(row, row.kind) };
  }
  const properties = recordAt(schema, 'properties');
  return {
    ...schema,
    properties: {
      ...properties,
      apiVersion: { ...apiVersion, ...recordAt(properties, 'apiVersion') },
      kind: { ...kindField, ...recordAt(properties, 'kind') },
      metadata: { $ref: `${metaPrefix}ObjectMeta` },
    },
    ...kindMark(row, row.kind),
  };
}

/** The definitions of a custom kind and its list, by name. */
export const customDefinitions = (row: ResourceInfo): [string, Schema][] => [
  [nameOfKind(row), objectOf(row)],
  [nameOfKind(row, row.listKind), listOf(row)],
];

/** Keywords that swagger 2.0 does not know. */
const newer = new Set(['nullable', 'anyOf', 'oneOf', 'not', 'allOf', 'x-kubernetes-validations']);

/** A structural schema as swagger 2.0 can say it. */
export function forV2(schema: unknown, insideProperties = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => forV2(item));
  if (!isRecord(schema)) return schema;
  const isLoose =
    schema['x-kubernetes-int-or-string'] === true ||
    schema['x-kubernetes-preserve-unknown-fields'] === true ||
    schema['nullable'] === true;
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (!insideProperties && newer.has(key)) continue;
    // A value of several types is one of any type to a swagger 2.0 client.
    if (!insideProperties && isLoose && (key === 'type' || key === 'items')) continue;
    result[key] = forV2(value, key === 'properties' && !insideProperties);
  }
  return result;
}
