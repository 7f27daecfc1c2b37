// Which shared claims a pod gets, in their order (spec controllers 8.2, 1.3.4 step 6): those of the
// set, of its scaling group and of its PodClique, each for all replicas first. Used where pods are
// built.
import { commonClaimName, replicaClaimName } from '../objects/names.ts';
import { isFor, scopes } from '../objects/shared-claims.ts';
import type { Share } from '../objects/shared-claims.ts';

/** One of the up to three owners that a pod has. */
export interface Sharer {
  /** Full name of the owner. */
  readonly name: string;
  readonly sharedClaims: readonly Share[];
  /** The owner's replica that the pod is in. */
  readonly index: number;
  /** What the clique goes by in filters. */
  readonly called: readonly string[];
}

/** Names of the claims; the sharers from the widest to the narrowest. */
export const claimsOfPod = (sharers: readonly Sharer[]): readonly string[] =>
  sharers.flatMap(({ name, sharedClaims, index, called }) =>
    scopes.flatMap((scope) =>
      sharedClaims
        .filter((share) => share.scope === scope && isFor(share, called))
        .map((share) =>
          scope === 'AllReplicas'
            ? commonClaimName(name, share.name)
            : replicaClaimName(name, index, share.name),
        ),
    ),
  );
