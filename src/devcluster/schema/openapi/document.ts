// OpenAPI: version 2 as one document, version 3 as an index and one document per group version, of
// built-in and custom kinds. kubectl's explain, apply, validation and diff read them. The REST
// layer keeps the texts until the table of resources changes.
import { createHash } from 'node:crypto';
import type { ResourceInfo, Schema } from '../../contract.ts';
import { definitions, kubernetesVersion } from '../definitions.ts';
import { isRecord } from '../record.ts';
import { customDefinitions, forV2, nameOfKind } from './custom.ts';
import { describeDefinition } from './descriptions.ts';
import { pathsOf } from './paths.ts';

type Doc = Record<string, unknown>;
type Resources = readonly ResourceInfo[];

const info = { title: 'Kubernetes', version: `v${kubernetesVersion}` };

/** `/openapi/v2`: a swagger 2.0 document. */
export function openApiV2(resources: Resources): Doc {
  const all: Record<string, unknown> = {};
  for (const [name, definition] of definitions) all[name] = describeDefinition(name, definition);
  for (const row of resources.filter((each) => each.custom)) {
    for (const [name, definition] of customDefinitions(row)) all[name] = forV2(definition);
  }
  return { swagger: '2.0', info, paths: {}, definitions: all };
}

const placeOf = (row: Pick<ResourceInfo, 'group' | 'version'>): string =>
  row.group === '' ? `api/${row.version}` : `apis/${row.group}/${row.version}`;

/** `/openapi/v3`: where the documents are; their addresses change with their contents. */
export function openApiV3Index(resources: Resources): Doc {
  const byPlace = Map.groupBy(resources, placeOf);
  const paths = [...byPlace].map(([place, rows]) => {
    const hash = createHash('sha256').update(fingerprint(rows)).digest('hex').toUpperCase();
    return [place, { serverRelativeURL: `/openapi/v3/${place}?hash=${hash}` }];
  });
  return { paths: Object.fromEntries(paths) };
}

const texts = new WeakMap<Schema, string>();

/** Everything that a document depends on, as text; the built-in schemas only change by version. */
function fingerprint(rows: Resources): string {
  const parts = rows.map((row) => {
    let schema = row.custom ? texts.get(row.schema) : '';
    if (schema === undefined) {
      schema = JSON.stringify(row.schema);
      texts.set(row.schema, schema);
    }
    const { kind, plural, verbs, subresources } = row;
    return JSON.stringify([kind, plural, verbs, subresources]) + schema;
  });
  return [kubernetesVersion, ...parts].join('\n');
}

/** `/openapi/v3/apis/<group>/<version>`: the document of one group version. */
export function openApiV3(resources: Resources, group: string, version: string): Doc {
  const rows = resources.filter((row) => row.group === group && row.version === version);
  const schemas: Record<string, unknown> = {};
  const pending: string[] = ['Status', 'DeleteOptions', 'Patch'].map((kind) => `${meta}.${kind}`);
  const custom = new Map(rows.filter((row) => row.custom).flatMap(customDefinitions));
  for (const row of rows) {
    pending.push(nameOfKind(row), nameOfKind(row, row.listKind));
    for (const sub of row.subresources) {
      const { kind } = sub;
      pending.push(
        nameOfKind({ ...row, group: sub.group ?? group, version: sub.version ?? version, kind }),
      );
    }
  }
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const definition =
      name === `${meta}.Patch` ? patch : (custom.get(name) ?? definitions.get(name));
    if (schemas[name] !== undefined || definition === undefined) continue;
    const described = custom.has(name) ? definition : describeDefinition(name, definition);
    schemas[name] = written(name) ?? toV3(described, (next) => pending.push(next));
  }
  const paths = Object.fromEntries(rows.flatMap(pathsOf));
  return { openapi: '3.0.0', info, paths, components: { schemas } };
}

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const patch: Schema = {
  description: 'A patch of an object, in one of several forms.',
  type: 'object',
};

/** Definitions that version 3 can say better than version 2. */
function written(name: string): Schema | undefined {
  switch (name) {
    case 'io.k8s.apimachinery.pkg.api.resource.Quantity':
      return { oneOf: [{ type: 'string' }, { type: 'number' }] };
    case 'io.k8s.apimachinery.pkg.util.intstr.IntOrString':
      return { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] };
    default:
      return undefined;
  }
}

const refPrefix = '#/definitions/';

/** The same schema with references into components; what stands beside one is wrapped. */
function toV3(node: unknown, seen: (name: string) => void): unknown {
  if (Array.isArray(node)) return node.map((item) => toV3(item, seen));
  if (!isRecord(node)) return node;
  const { $ref, ...rest } = node;
  const result = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, toV3(value, seen)]),
  );
  if (typeof $ref !== 'string' || !$ref.startsWith(refPrefix)) {
    return $ref === undefined ? result : { $ref: toV3($ref, seen), ...result };
  }
  const name = $ref.slice(refPrefix.length);
  seen(name);
  const reference = { $ref: `#/components/schemas/${name}` };
  return Object.keys(rest).length === 0 ? reference : { ...result, allOf: [reference] };
}
