// Names of namespaces: a second attempt of a test cannot have that of the first one, which is still
// being deleted.

/** By the name that was wanted. */
const attempts = new Map<string, number>();

/** The name, or one that says which attempt of this process it is of. */
export function freshName(wanted: string): string {
  const attempt = attempts.get(wanted) ?? 0;
  attempts.set(wanted, attempt + 1);
  return attempt === 0 ? wanted : `${wanted}-again-${attempt}`;
}
