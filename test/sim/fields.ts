// Reads values out of plain objects by path, for oracles that must not use the decoders under test.

export function at(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const field of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, field)) return undefined;
    here = (here as Readonly<Record<string, unknown>>)[field];
  }
  return here;
}

export const listAt = (value: unknown, ...path: readonly string[]): readonly unknown[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
};

export function fieldsAt(
  value: unknown,
  ...path: readonly string[]
): Readonly<Record<string, unknown>> {
  const found = at(value, ...path);
  return typeof found === 'object' && found !== null
    ? (found as Readonly<Record<string, unknown>>)
    : {};
}

export const textAt = (value: unknown, ...path: readonly string[]): string => {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
};

export const numberAt = (value: unknown, ...path: readonly string[]): number => {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : 0;
};

export const labelsOf = (object: unknown): Readonly<Record<string, string>> =>
  fieldsAt(object, 'metadata', 'labels') as Readonly<Record<string, string>>;

/** Of a PodClique, that of its template; of a pod, that of the template by which it was made. */
export const templateHashOf = (object: unknown): string | undefined =>
  labelsOf(object)['grove.io/pod-template-hash'];

export const uidOf = (object: unknown): string => textAt(object, 'metadata', 'uid');
