// The fields and rules of a CRD's schema as flat lists, for reference.ts beside this file.
import { isRecord } from '#src/devcluster/schema/record.ts';
import { builtInOf } from '#tools/crds/inline.ts';
import type { Shape } from '#tools/crds/shapes.ts';

export interface Field {
  /** `spec.template.cliques[].name`. */
  readonly path: string;
  readonly schema: Shape;
  readonly isRequired: boolean;
}

/** The same for every kind, and documented by Kubernetes. */
const everywhere = new Set(['apiVersion', 'kind', 'metadata']);

/** Those of Kubernetes, which every kind has. */
export const isCondition = ({ properties }: Shape): boolean =>
  isRecord(properties) && 'lastTransitionTime' in properties;

/** An object or the item of a list with what it has; undefined for a value or a built-in type. */
function innerOf(schema: Shape): { readonly ending: string; readonly schema: Shape } | undefined {
  if (builtInOf(schema) !== undefined) return undefined;
  if (isRecord(schema['properties'])) return { ending: '', schema };
  const { items } = schema;
  if (isRecord(items) && isCondition(items)) return undefined;
  return isRecord(items) && builtInOf(items) === undefined && isRecord(items['properties'])
    ? { ending: '[]', schema: items }
    : undefined;
}

/** All fields but those of every kind, each before those inside it. */
export const fieldsOf = (schema: Shape): readonly Field[] =>
  inside(schema, '').filter(({ path }) => !everywhere.has(path));

function inside(schema: Shape, before: string): readonly Field[] {
  const { properties, required } = schema;
  return Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, own]) => {
    if (!isRecord(own)) return [];
    const path = `${before}${name}`;
    const isRequired = Array.isArray(required) && required.includes(name);
    const inner = innerOf(own);
    return [
      { path, schema: own, isRequired },
      ...(inner === undefined ? [] : inside(inner.schema, `${path}${inner.ending}.`)),
    ];
  });
}

interface Rule {
  /** Of the field that the answer names; empty: the object as a whole. */
  readonly path: string;
  readonly message: string;
}

/** Rules in CEL, of the object and of the fields in it. */
export const rulesOf = (schema: Shape): readonly Rule[] => [
  ...rulesAt(schema, ''),
  ...fieldsOf(schema).flatMap(({ path, schema: own }) => [
    ...rulesAt(own, path),
    ...(isRecord(own['items']) ? rulesAt(own['items'], `${path}[]`) : []),
  ]),
];

function rulesAt(schema: Shape, path: string): readonly Rule[] {
  const rules: unknown = schema['x-kubernetes-validations'];
  if (builtInOf(schema) !== undefined || !Array.isArray(rules)) return [];
  return rules.filter(isRecord).map(({ message, fieldPath }) => ({
    path: typeof fieldPath === 'string' ? `${path}${fieldPath}`.replace(/^\./, '') : path,
    message: String(message),
  }));
}
