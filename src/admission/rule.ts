// One row per rule of admission: what it demands, how it finds what is wrong, and examples. The
// tables made of such rows are what the webhooks run, what the tests go through and what
// docs/admission.md is written from.
import { duplicate, type FieldError, invalid } from '#machines/kubernetes/field-errors.ts';
import type { Json } from '#machines/kubernetes/objects.ts';
import type { AdmissionSettings, Found } from './situation.ts';

export type { FieldError };

/**
 * A valid object with some values replaced, by path: `spec.template.cliques[0].name`, keys with
 * dots as `annotations['grove.io/mnnvl-group']`. `null` takes the value away.
 */
export type Replaced = Readonly<Record<string, Json>>;

/** The base object of the tables, and the world around it, as a rule should see them. */
export interface Example {
  /** In the new object; in the old one too where `before` says nothing else of the path. */
  readonly given?: Replaced;
  /** Present: an update, of the base object with these values. */
  readonly before?: Replaced;
  readonly settings?: Partial<AdmissionSettings>;
  readonly found?: Found;
}

/** An example that the rule refuses. */
export interface Refusal extends Example {
  /** The whole error, or all of them in order. */
  readonly says: string | readonly string[];
  /** Ids of other rules that cannot but refuse it too. */
  readonly also?: readonly string[];
}

export interface Rule<Subject> {
  /** As in the specification of Grove's API: V18, U4. Ours, where it has none: T3. */
  readonly id: string;
  /** Where the error is reported, with `n`, `m` for indices. */
  readonly field: string;
  /** Continues "It must ...": a line of the documentation. */
  readonly demands: string;
  readonly check: (subject: Subject) => readonly FieldError[];
  readonly accepts: Example;
  readonly refuses: Refusal | readonly Refusal[];
}

/** Examples that differ in the value at one path: the accepted one, and those that are refused. */
export const examples = (
  path: string,
  accepted: Json,
  ...refused: readonly [value: Json, says: string][]
): Pick<Rule<never>, 'accepts' | 'refuses'> => ({
  accepts: { given: { [path]: accepted } },
  refuses: refused.map(([value, says]) => ({ given: { [path]: value }, says })),
});

/** A rule that lets the object pass and says something to whoever sent it. */
export interface Advice<Subject> {
  readonly id: string;
  readonly field: string;
  /** Continues "It warns ...". */
  readonly warns: string;
  readonly check: (subject: Subject) => readonly string[];
  readonly accepts: Example;
  readonly advises: Example & { readonly says: string | readonly string[] };
}

/** Nothing is wrong. */
export const fine: readonly FieldError[] = [];

/** One error or none. */
export const unless = (isRight: boolean, error: () => FieldError): readonly FieldError[] =>
  isRight ? fine : [error()];

/** An error where a number is below the one that has this name. */
export const notBelow = (field: string, value: number, name: string, floor: number) =>
  unless(value >= floor, () => invalid(field, value, `must not be less than ${name} (${floor})`));

/** An error where a number is not above 0. */
export const aboveZero = (field: string, value: number): readonly FieldError[] =>
  unless(value > 0, () => invalid(field, value, 'must be greater than 0'));

/** An error for each value that occurs again. */
export const unique = (field: string, values: readonly string[]): readonly FieldError[] =>
  repeated(values).map((value) => duplicate(field, value));

/** Values that occur again, each once, in order. */
export function repeated(values: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return [...new Set(values.filter((value) => seen.size === seen.add(value).size))];
}

/** Not the object's fault: what it needs could not be found out. */
export const internal = (field: string, detail: string): FieldError => ({
  type: 'InternalError',
  field,
  detail,
});
