// The pieces that a configuration schema is made of: a field knows its type in words, its default,
// its documentation and how to decode a value. src/config/schema.ts puts them together;
// docs/configuration.md and the schema of the chart's values are rendered from the same fields.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { durationMs } from '#machines/kubernetes/time.ts';
import { didYouMean } from './nearest.ts';

/** One thing wrong with a configuration file. */
export interface Problem {
  /** e.g. `log.level`; empty for the file as a whole. */
  readonly path: string;
  /** What is wrong and what would be right, in one sentence without a full stop. */
  readonly message: string;
}

export interface Field<T> {
  /** The type in words, as documentation shows it. */
  readonly type: string;
  /** The same as JSON Schema. */
  readonly schema: JsonObject;
  readonly doc: string;
  readonly fallback: T;
  /** Total: reports what is wrong and then returns the fallback. */
  readonly decode: (value: unknown, path: string, problems: Problem[]) => T;
  /** The fields of a section; undefined for a leaf. */
  readonly fields?: Readonly<Record<string, Field<unknown>>>;
}

type FieldsOf<F extends Readonly<Record<string, Field<unknown>>>> = {
  readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never;
};

/** The type that a field decodes to. */
export type Decoded<F> = F extends Field<infer T> ? T : never;

/** A value as a message shows it: short, JSON. */
const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
};

/** Two servers cannot have one port; 0 is any free one. `others` by the names of their fields. */
export function checkPort(
  path: string,
  port: number,
  others: Readonly<Record<string, number>>,
): readonly Problem[] {
  const taken = Object.keys(others).find((name) => others[name] === port && port !== 0);
  if (taken === undefined) return [];
  return [{ path, message: `is ${port}, as ${taken} is; it must be another` }];
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** The path of a field of the section at a path. */
export const below = (path: string, name: string): string =>
  path === '' ? name : `${path}.${name}`;

/** A leaf: `accept` gives the value, or undefined where it is not of the type. */
function leaf<T>(
  [type, schema]: readonly [type: string, schema: JsonObject],
  fallback: T,
  doc: string,
  accept: (value: unknown) => T | undefined,
  hint: (value: unknown) => string = () => '',
): Field<T> {
  return {
    type,
    schema,
    doc,
    fallback,
    decode(value, path, problems) {
      if (isAbsent(value)) return fallback;
      const accepted = accept(value);
      if (accepted !== undefined) return accepted;
      const message = `${shown(value)} is wrong, it must be ${type}${hint(value)}`;
      problems.push({ path, message });
      return fallback;
    },
  };
}

export const boolean = (fallback: boolean, doc: string): Field<boolean> =>
  leaf(['true or false', { type: 'boolean' }], fallback, doc, (value) =>
    typeof value === 'boolean' ? value : undefined,
  );

/** A text; with a fallback of undefined the field may stay away. */
export const text = <T extends string | undefined>(fallback: T, doc: string): Field<T | string> =>
  leaf<T | string>(
    ['a text that is not empty', { type: 'string', minLength: 1 }],
    fallback,
    doc,
    (value) => (typeof value === 'string' && value !== '' ? value : undefined),
  );

export const integer = (
  { least, most }: { readonly least: number; readonly most: number },
  fallback: number,
  doc: string,
): Field<number> =>
  leaf(
    [`a whole number from ${least} to ${most}`, { type: 'integer', minimum: least, maximum: most }],
    fallback,
    doc,
    (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
        ? value
        : undefined,
  );

/** A rate: a number of 0 or more, fractions allowed. */
export const rate = (fallback: number, doc: string): Field<number> =>
  leaf(['a number of 0 or more', { type: 'number', minimum: 0 }], fallback, doc, (value) =>
    typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined,
  );

/** As Go writes durations (`15s`, `1m30s`), decoded to seconds. */
export const seconds = (fallback: number, doc: string): Field<number> =>
  leaf(
    ['a duration in whole seconds above 0, such as 15s', { type: 'string' }],
    fallback,
    doc,
    (value) => {
      const ms = typeof value === 'string' ? durationMs(value) : undefined;
      return ms !== undefined && ms > 0 && ms % 1_000 === 0 ? ms / 1_000 : undefined;
    },
  );

export const oneOf = <const T extends string>(
  choices: readonly T[],
  fallback: NoInfer<T>,
  doc: string,
): Field<T> =>
  leaf<T>(
    [`one of ${choices.join(', ')}`, { type: 'string', enum: [...choices] }],
    fallback,
    doc,
    (value) => choices.find((choice) => choice === value),
    (value) => (typeof value === 'string' ? didYouMean(value, choices) : ''),
  );

/** A list of anything; `[]` is a value of its own, only an absent list gets the fallback. */
export const listOf = <T>(
  item: Field<T>,
  fallback: readonly T[],
  doc: string,
): Field<readonly T[]> => ({
  type: `a list, each ${item.fields === undefined ? item.type : 'an object'}`,
  schema: { type: 'array', items: item.schema },
  doc,
  fallback,
  ...(item.fields === undefined ? {} : { fields: item.fields }),
  decode(value, path, problems) {
    if (isAbsent(value)) return fallback;
    if (!Array.isArray(value)) {
      problems.push({ path, message: `${shown(value)} is wrong, it must be a list` });
      return fallback;
    }
    return value.map((one: unknown, index) => {
      const at = `${path}[${index}]`;
      if (isAbsent(one)) problems.push({ path: at, message: `is empty, it must be ${item.type}` });
      return item.decode(one, at, problems);
    });
  },
});

/** Passed on as it is, for an extension point that Coppice does not read itself. */
export const opaque = (doc: string): Field<unknown> => ({
  type: 'anything',
  schema: {},
  doc,
  fallback: undefined,
  decode: (value) => value,
});

/** An object with known fields; unknown ones are problems. */
export function section<F extends Readonly<Record<string, Field<unknown>>>>(
  doc: string,
  fields: F,
): Field<FieldsOf<F>> & { readonly fields: F } {
  const names = Object.keys(fields);
  const decode = (value: unknown, path: string, problems: Problem[]): FieldsOf<F> => {
    const entries = entriesOf(value, path, names, problems);
    const decoded: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(fields)) {
      decoded[name] = field.decode(entries.get(name), below(path, name), problems);
    }
    // Each name was decoded by its own field just above; a mapped type cannot be built up in steps.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return decoded as FieldsOf<F>;
  };
  const type = 'an object';
  return { type, schema: strict(fields), doc, fallback: decode(undefined, '', []), fields, decode };
}

/** The schema of an object with these fields and no others. */
const strict = (fields: Readonly<Record<string, Field<unknown>>>): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    Object.entries(fields).map(([name, { doc, schema }]) => [
      name,
      { description: doc, ...schema },
    ]),
  ),
});

/** The entries of an object; reports a value of another type and keys that are not known. */
function entriesOf(
  value: unknown,
  path: string,
  known: readonly string[],
  problems: Problem[],
): ReadonlyMap<string, unknown> {
  if (value === undefined || value === null) return new Map();
  if (typeof value !== 'object' || Array.isArray(value)) {
    problems.push({ path, message: `${shown(value)} is wrong, it must be an object` });
    return new Map();
  }
  const entries = new Map<string, unknown>(Object.entries(value));
  for (const name of entries.keys()) {
    if (known.includes(name)) continue;
    const hint = didYouMean(name, known) || `; known here: ${known.join(', ')}`;
    const message = `is not a field of the configuration${hint}`;
    problems.push({ path: below(path, name), message });
  }
  return entries;
}
