// Names of shared ResourceClaims (spec api 4.1), and the exact reverse lookup. `owner` is the full
// name of the PodCliqueSet, the scaling group or the PodClique that the claims belong to.
import { placeOf } from '../children/place.ts';

/** Of the one claim of a whole owner. */
export const commonClaimName = (owner: string, template: string): string =>
  `${owner}-all-${template}`;

/** Of the claim of one replica: of a set, of a group, or one pod of a PodClique. */
export const replicaClaimName = (owner: string, index: number, template: string): string =>
  `${owner}-${index}-${template}`;

/** The replica that a claim of this owner is for; undefined where it is for all, or another's. */
export function indexOfClaim(owner: string, name: string): number | undefined {
  const place = placeOf(owner, name);
  return place?.slot === '' ? undefined : place?.replica;
}
