// Looking into parsed JSON of unknown shape: the few narrowing functions that the decoders of this
// folder share. Each is total; what is not there, or of another type, is undefined.

export type Fields = { readonly [field: string]: unknown };

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object's fields; none where it is no object. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** The named fields that are present, in this order. */
export function pick(from: Fields, names: readonly string[]): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const name of names) {
    const value = from[name];
    if (value !== undefined && value !== null) kept[name] = value;
  }
  return kept;
}
