// The generated half of `coppice/client`: a TypeScript type for every kind of the CRDs, as clients
// write and read it, and the table of where each kind is served. The other half, client/index.mjs
// and its types, is written by hand.
import { definitions } from '#tools/crds/generate.ts';
import { builtInOf } from '#tools/crds/inline.ts';
import type { Definition, Shape } from '#tools/crds/shapes.ts';
import { definitions as builtIns, kubernetesVersion } from '#src/devcluster/schema/definitions.ts';
import { isRecord } from '#src/devcluster/schema/record.ts';
import { BuiltIns } from './client-builtins.ts';
import { page } from './page.ts';

export const allDefinitions = (): readonly Definition[] => Object.values(definitions).flat();

const metadata = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** Of objects that several kinds have, by a field that nothing else has. */
const shared: readonly (readonly [field: string, name: string])[] = [
  ['lastTransitionTime', 'Condition'],
  ['observedAt', 'LastError'],
  ['packDomain', 'TopologyConstraint'],
  ['maxReplicas', 'AutoScaling'],
  ['podSpec', 'PodCliqueSpec'],
];

/** `spec` of `PodClique` to `PodCliqueSpec`; the `s` of a list stays, as the field is called so. */
const nameIn = (owner: string, field: string, properties: Shape): string =>
  shared.find(([mark]) => mark in properties)?.[1] ??
  `${owner}${field.charAt(0).toUpperCase()}${field.slice(1)}`;

const documented = (indent: string, schema: Shape): readonly string[] => {
  const { description, default: value } = schema;
  const said = [
    ...(typeof description === 'string' ? [description] : []),
    ...(value === undefined ? [] : [`Default: ${JSON.stringify(value)}.`]),
  ];
  return said.length === 0 ? [] : [`${indent}/** ${said.join(' ')} */`];
};

/** Collects the interfaces that types of fields refer to, each once and in order of appearance. */
class Interfaces {
  readonly builtIn = new BuiltIns();
  readonly #texts = new Map<string, string>();

  /** The type of a field, as an expression. */
  typeOf(schema: Shape, owner: string, field: string): string {
    const known = builtInOf(schema);
    if (known !== undefined) return this.builtIn.named(known);
    const { enum: values, type, items, properties, additionalProperties } = schema;
    if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
    if (isRecord(items)) {
      const item = this.typeOf(items, owner, field);
      return item.includes('|') ? `(${item})[]` : `${item}[]`;
    }
    if (isRecord(additionalProperties)) {
      return `Record<string, ${this.typeOf(additionalProperties, owner, field)}>`;
    }
    if (isRecord(properties)) {
      const name = nameIn(owner, field, properties);
      this.add(name, schema);
      return name;
    }
    if (type === 'integer' || type === 'number') return 'number';
    if (type === 'string' || type === 'boolean') return type;
    throw new Error(`${owner}.${field}: no type for ${JSON.stringify(schema)}`);
  }

  /** A field with a default may be left out: the server fills it in. */
  add(name: string, schema: Shape): void {
    if (this.#texts.has(name)) return;
    this.#texts.set(name, '');
    const required: unknown = schema['required'];
    const fields = Object.entries(isRecord(schema['properties']) ? schema['properties'] : {});
    const lines = fields.flatMap(([field, inner]) => {
      if (!isRecord(inner)) return [];
      const isNeeded =
        Array.isArray(required) && required.includes(field) && inner['default'] === undefined;
      const type = this.typeOf(inner, name, field);
      return [...documented('  ', inner), `  ${field}${isNeeded ? '' : '?'}: ${type};`];
    });
    const text = [...documented('', schema), `export interface ${name} {`, ...lines, '}', ''];
    this.#texts.set(name, text.join('\n'));
  }

  /** A kind has its literal group, version and name, so that a manifest is checked by them. */
  addKind({ group, version, kind, schema }: Definition): void {
    const properties = isRecord(schema['properties']) ? schema['properties'] : {};
    const own = Object.entries(properties).filter(
      ([field]) => !['apiVersion', 'kind', 'metadata'].includes(field),
    );
    const required: unknown = schema['required'];
    const fields = own.flatMap(([field, inner]) => {
      if (!isRecord(inner)) return [];
      const isNeeded = Array.isArray(required) && required.includes(field);
      const type = this.typeOf(inner, kind, field);
      return [...documented('  ', inner), `  ${field}${isNeeded ? '' : '?'}: ${type};`];
    });
    const text = [
      ...documented('', schema),
      `export interface ${kind} {`,
      `  apiVersion: '${group}/${version}';`,
      `  kind: '${kind}';`,
      `  metadata: ${this.builtIn.named(metadata)};`,
      ...fields,
      '}',
      '',
    ];
    this.#texts.set(kind, text.join('\n'));
  }

  get text(): string {
    return [...this.#texts.values()].join('\n');
  }
}

const banner = '// Written by `npm run surface` from tools/crds; do not edit by hand.';

/** client/kinds.d.mts. */
export function clientTypes(): string {
  const interfaces = new Interfaces();
  for (const definition of allDefinitions()) interfaces.addKind(definition);
  const kinds = allDefinitions().map(({ kind }) => `  ${kind}: ${kind};`);
  return page(
    banner,
    `// Pods and what belongs to them are as in Kubernetes ${kubernetesVersion}.`,
    '',
    '/** The type of each kind by its name. */',
    'export interface Kinds {',
    ...kinds,
    '}',
    '',
    interfaces.text,
    interfaces.builtIn.text(builtIns),
  );
}

/** client/resources.mjs: where each kind is served. */
export const clientResources = (): string =>
  page(
    banner,
    "/** @type {import('./index.d.mts').Resources} */",
    'export const resources = {',
    ...allDefinitions().flatMap(({ kind, group, version, plural, scope }) => [
      `  ${kind}: {`,
      ...Object.entries({ group, version, plural, scope }).map(
        ([key, value]) => `    ${key}: '${value}',`,
      ),
      '  },',
    ]),
    '};',
  );
