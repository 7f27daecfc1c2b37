// Builders of field errors, one per Kubernetes error type, so that a rule reads as the sentence
// that the client will see. The REST layer renders type, value and detail.
import type { FieldError } from '#src/devcluster/contract.ts';

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
