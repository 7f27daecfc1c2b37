// Small constructors for structural schemas, so that the CRD definitions beside this file read like
// the tables of the specification. Only the generator beside this file uses them.

export interface Shape {
  readonly [keyword: string]: unknown;
}

const described = (description: string | undefined): Shape =>
  description === undefined ? {} : { description };

export const text = (description?: string, more: Shape = {}): Shape => ({
  ...described(description),
  ...more,
  type: 'string',
});

export const oneOf = (description: string, values: readonly string[], more: Shape = {}): Shape =>
  text(description, { enum: values, ...more });

export const flag = (description: string, more: Shape = {}): Shape => ({
  ...described(description),
  ...more,
  type: 'boolean',
});

export const int32 = (description: string, more: Shape = {}): Shape => ({
  ...described(description),
  ...more,
  format: 'int32',
  type: 'integer',
});

/** Without a format, as Go's `int` has none. */
export const int = (description: string, more: Shape = {}): Shape => ({
  ...described(description),
  ...more,
  type: 'integer',
});

export const int64 = (description: string, more: Shape = {}): Shape => ({
  ...described(description),
  ...more,
  format: 'int64',
  type: 'integer',
});

export const time = (description: string): Shape => text(description, { format: 'date-time' });

export const list = (items: Shape, description?: string, more: Shape = {}): Shape => ({
  ...described(description),
  items,
  type: 'array',
  ...more,
});

/** A list whose items are told apart by a field, so that appliers can own single items. */
export const listBy = (key: string, items: Shape, description?: string): Shape =>
  list(items, description, {
    'x-kubernetes-list-map-keys': [key],
    'x-kubernetes-list-type': 'map',
  });

export const textMap = (description: string): Shape => ({
  additionalProperties: { type: 'string' },
  ...described(description),
  type: 'object',
});

/** An object; a field name with a trailing `!` is required. */
export function object(
  description: string | undefined,
  fields: Readonly<Record<string, Shape>>,
  more: Shape = {},
): Shape {
  const required = Object.keys(fields)
    .filter((name) => name.endsWith('!'))
    .map((name) => name.slice(0, -1));
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, shape]) => [name.replace(/!$/, ''), shape]),
  );
  return {
    ...described(description),
    properties,
    ...(required.length > 0 ? { required } : {}),
    type: 'object',
    ...more,
  };
}

/** A kind: apiVersion, kind and metadata, and its own fields beside them. */
export const topLevel = (
  description: string,
  fields: Readonly<Record<string, Shape>>,
  more: Shape = {},
): Shape =>
  object(
    description,
    {
      apiVersion: text('Group and version of the schema that this object is written in.'),
      kind: text('The kind of the object.'),
      metadata: { type: 'object' },
      ...fields,
    },
    more,
  );

/** A kind with a required spec and an optional status. */
export const root = (description: string, spec: Shape, status: Shape, more: Shape = {}): Shape =>
  topLevel(description, { 'spec!': spec, status }, more);

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly priority?: number;
  readonly description?: string;
}

export const column = (name: string, type: string, jsonPath: string, priority = 0): Column => ({
  jsonPath,
  name,
  ...(priority > 0 ? { priority } : {}),
  type,
});

/** A column that only `kubectl get -o wide` shows. */
export const wideColumn = (name: string, type: string, jsonPath: string): Column =>
  column(name, type, jsonPath, 1);

export const age = column('Age', 'date', '.metadata.creationTimestamp');

export const conditionStatus = (type: string): string =>
  `.status.conditions[?(@.type=="${type}")].status`;

/** What each version of a kind has of its own. */
export interface Version {
  readonly version: string;
  readonly columns: readonly Column[];
  readonly schema: Shape;
  /** True: the object has no status subresource. */
  readonly isWithoutStatus?: true;
  /** Name of the status field with the label selector; absent: no scale subresource. */
  readonly scaleSelector?: string;
}

export interface Deprecated extends Version {
  /** What the API server tells those who use it. */
  readonly warning: string;
}

/** A kind, in the version that is stored. */
export interface Definition extends Version {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  /** Absent: none. */
  readonly shortName?: string;
  readonly scope: 'Namespaced' | 'Cluster';
  /** Served beside it; absent: there is one version. */
  readonly deprecated?: Deprecated;
}
