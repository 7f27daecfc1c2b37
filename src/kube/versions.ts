// The order of resourceVersions, as far as there is one. Used by known.ts and reflector.ts.

/**
 * Negative, zero or positive as `a` is older than, equal to or newer than `b`; undefined where the
 * two cannot be compared, as versions are opaque unless both are decimal (since Kubernetes 1.35
 * they always are).
 */
export function compareVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!/^[1-9]\d*$/.test(a) || !/^[1-9]\d*$/.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

export const isAtMost = (a: string, b: string): boolean => (compareVersions(a, b) ?? 1) <= 0;
export const isOlder = (a: string, b: string): boolean => (compareVersions(a, b) ?? 0) < 0;

/** The newer of the two; the first where they cannot be compared. Empty: none. */
export const later = (a: string, b: string): string => (a === '' || isOlder(a, b) ? b : a);
