// What is wrong with fields of an object, as Kubernetes says it: builders, one per type of error,
// so that a rule reads as the sentence that the client sees, and the sentences.

/** Kubernetes' types of errors; the text is what a client sees before the detail. */
const typeTexts = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTypeInvalid: 'Invalid value',
  InternalError: 'Internal error',
} as const;

export type FieldErrorType = keyof typeof typeTexts;

export interface FieldError {
  readonly type: FieldErrorType;
  /** e.g. `spec.template.cliques[0].name` */
  readonly field: string;
  /** The bad value; absent for Required and Forbidden. */
  readonly value?: unknown;
  readonly detail: string;
}

export const required = (field: string, detail = ''): FieldError => ({
  type: 'FieldValueRequired',
  field,
  detail,
});

export const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  value,
  detail,
});

export const forbidden = (field: string, detail: string): FieldError => ({
  type: 'FieldValueForbidden',
  field,
  detail,
});

export const duplicate = (field: string, value: unknown): FieldError => ({
  type: 'FieldValueDuplicate',
  field,
  value,
  detail: '',
});

export const notFound = (field: string, value: unknown): FieldError => ({
  type: 'FieldValueNotFound',
  field,
  value,
  detail: '',
});

export const notSupported = (
  field: string,
  value: unknown,
  supported: readonly string[],
): FieldError => ({
  type: 'FieldValueNotSupported',
  field,
  value,
  detail: `supported values: ${supported.map((name) => `"${name}"`).join(', ')}`,
});

export const tooLong = (field: string, bytes: number): FieldError => ({
  type: 'FieldValueTooLong',
  field,
  detail: `may not be more than ${bytes} bytes`,
});

/** One Invalid per complaint about the same value. */
export const invalidEach = (
  field: string,
  value: unknown,
  complaints: readonly string[],
): FieldError[] => complaints.map((detail) => invalid(field, value, detail));

export const immutableField = 'field is immutable';

const valueless: ReadonlySet<FieldErrorType> = new Set([
  'FieldValueRequired',
  'FieldValueForbidden',
  'FieldValueTooLong',
  'InternalError',
]);

/** Without the field. */
export const fieldErrorBody = (error: FieldError): string => {
  const type = typeTexts[error.type];
  const shown =
    valueless.has(error.type) || error.value === undefined
      ? type
      : `${type}: ${JSON.stringify(error.value)}`;
  return error.detail === '' ? shown : `${shown}: ${error.detail}`;
};

/** `spec.a: Required value`, or several of them in brackets. */
export function fieldErrorTexts(errors: readonly FieldError[]): string {
  const lines = [
    ...new Set(errors.map((error) => `${error.field || '<nil>'}: ${fieldErrorBody(error)}`)),
  ];
  const [only = ''] = lines;
  return lines.length === 1 ? only : `[${lines.join(', ')}]`;
}
