// In which of its versions a kind is addressed, where its row lists several: the best that the
// cluster serves. list.ts asks here when the server knows none of what was asked for.
import { apiVersionOf, useVersion, versionsOf, type Kind } from '#machines/kinds.ts';
import type { Failure } from '../errors.ts';

/**
 * Makes the best version that was not refused the one that all address. False where none is left:
 * then it is the best of all again, for the next attempt. One that another list has chosen
 * meanwhile stands.
 */
export function tryAnother(kind: Kind, asked: string, refused: ReadonlySet<string>): boolean {
  const versions = versionsOf(kind);
  const next = versions.find((version) => !refused.has(version));
  if (apiVersionOf(kind) === asked) useVersion(kind, next ?? versions[0]);
  return next !== undefined;
}

/** Says what would be right. */
export const unserved = (kind: Kind, failure: Failure): Failure => ({
  ...failure,
  message: `${failure.message}; served should be ${versionsOf(kind).join(' or ')}`,
});
