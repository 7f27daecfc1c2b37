// The order of resourceVersions, as far as there is one: they are decimal numbers of any size, from
// servers that keep to what all do.

const decimal = /^\d+$/;

/**
 * Negative, zero or positive as `a` is older than, equal to or newer than `b`; undefined where the
 * two cannot be compared, as versions are opaque unless both are decimal (since Kubernetes 1.35
 * they always are).
 */
export function compareVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!decimal.test(a) || !decimal.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

export const isAtMost = (a: string, b: string): boolean => (compareVersions(a, b) ?? 1) <= 0;
export const isOlder = (a: string, b: string): boolean => (compareVersions(a, b) ?? 0) < 0;

/** The newer of the two; the first where they cannot be compared. Empty: none. */
export const later = (a: string, b: string): string => (a === '' || isOlder(a, b) ? b : a);

/** True where `a` is later than `b`; where they cannot be compared, the one that came later is. */
export const isNewer = (a: string, b: string): boolean => (compareVersions(a, b) ?? 1) > 0;
