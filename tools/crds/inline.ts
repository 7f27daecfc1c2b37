// Turns a built-in definition (PodSpec, MetricSpec, ...) into an inlined structural schema for a
// CRD: no `$ref`, no description, quantities and int-or-string spelled as CRDs spell them.
import { definitions, refName } from '#src/devcluster/schema/definitions.ts';
import { isRecord } from '#src/devcluster/schema/record.ts';
import type { Shape } from './shapes.ts';

const integerOrText = [{ type: 'integer' }, { type: 'string' }];

/** Kubernetes' resource quantities: a number with an optional SI, binary or exponent suffix. */
const quantityPattern =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))' +
  '(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

const stringMap: Shape = { additionalProperties: { type: 'string' }, type: 'object' };

/** Definitions that a CRD writes in its own way. */
const special: Readonly<Record<string, Shape>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': {
    anyOf: integerOrText,
    pattern: quantityPattern,
    'x-kubernetes-int-or-string': true,
  },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': {
    anyOf: integerOrText,
    'x-kubernetes-int-or-string': true,
  },
  'io.k8s.apimachinery.pkg.runtime.RawExtension': {
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta': {
    properties: {
      annotations: stringMap,
      finalizers: { items: { type: 'string' }, type: 'array' },
      labels: stringMap,
      name: { type: 'string' },
      namespace: { type: 'string' },
    },
    type: 'object',
  },
};

const dropped = new Set([
  'x-kubernetes-patch-strategy',
  'x-kubernetes-patch-merge-key',
  'x-kubernetes-group-version-kind',
]);

function inlineNode(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(inlineNode);
  if (!isRecord(node)) return node;
  const name = refName(node);
  if (name !== undefined) return inlined(name);
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) {
    if (dropped.has(key)) continue;
    result[key] =
      key === 'properties' && isRecord(value) ? inlineProperties(value) : inlineNode(value);
  }
  return withKeyDefaults(result);
}

/** A key of a list map must be required or have a default: an API server refuses the CRD otherwise.
 *  The built-in types say so in Go tags that do not reach their OpenAPI (an empty name). */
function withKeyDefaults(list: Record<string, unknown>): Record<string, unknown> {
  const { items, 'x-kubernetes-list-map-keys': keys } = list;
  if (!Array.isArray(keys) || !isRecord(items) || !isRecord(items['properties'])) return list;
  const required: unknown[] = Array.isArray(items['required']) ? items['required'] : [];
  const properties = Object.entries(items['properties']).map(([name, node]) => {
    const bare = keys.includes(name) && !required.includes(name) && isRecord(node);
    return [name, bare && node['type'] === 'string' ? { default: '', ...node } : node];
  });
  return { ...list, items: { ...items, properties: Object.fromEntries(properties) as unknown } };
}

const inlineProperties = (properties: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).map(([name, node]) => [name, inlineNode(node)]));

/** What was inlined, to its name: documentation and types name it instead of repeating it. */
const names = new WeakMap<object, string>();

/** The OpenAPI name of a schema that `inlined` made, e.g. `io.k8s.api.core.v1.PodSpec`. */
export const builtInOf = (schema: object): string | undefined => names.get(schema);

/** The inlined schema of a definition by its OpenAPI name. Throws for an unknown name. */
export function inlined(name: string): Shape {
  const known = special[name];
  if (known !== undefined) return known;
  const definition = definitions.get(name);
  if (definition === undefined) throw new Error(`no definition named ${name}`);
  const result = inlineNode(definition);
  const shape = isRecord(result) ? result : {};
  names.set(shape, name);
  return shape;
}
