// One row per rule of admission: what it demands, how it finds what is wrong, and examples. The
// tables made of such rows are what the webhooks run, what the tests go through and what
// docs/admission.md is written from.
import type { FieldError, FieldErrorType } from '#machines/kubernetes/field-errors.ts';
import type { Json } from '#machines/kubernetes/objects.ts';
import type { Found } from './found.ts';
import type { AdmissionSettings } from './settings.ts';

export type { FieldError, FieldErrorType };

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
  readonly types: readonly FieldErrorType[];
  /** Continues "It must ...": a line of the documentation. */
  readonly demands: string;
  readonly check: (subject: Subject) => readonly FieldError[];
  readonly accepts: Example;
  readonly refuses: readonly [Refusal, ...Refusal[]];
}

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

/** Not the object's fault: what it needs could not be found out. */
export const internal = (field: string, detail: string): FieldError => ({
  type: 'InternalError',
  field,
  detail,
});
