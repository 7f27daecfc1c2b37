// Where a scalinggroup actor keeps its ResourceClaims: those for all replicas, and those of each.
// Called by reduce.ts.
import type { Shelf } from '../claims/reduce.ts';
import type { Claims } from '../claims/facts.ts';
import { indexOfClaim } from '../claims/names.ts';
import { replicaAt, touch } from './context.ts';
import type { GroupContext } from './context.ts';

export const claimShelf: Shelf<GroupContext> = {
  of: claimsBeside,
  put: (context, name, claims) => {
    const index = indexOfClaim(context.key.name, name);
    if (index === undefined) return { ...context, claims };
    return touch(context, index, (replica) => ({ ...replica, claims }));
  },
};

function claimsBeside(context: GroupContext, name: string): Claims {
  const index = indexOfClaim(context.key.name, name);
  return index === undefined ? context.claims : replicaAt(context, index).claims;
}

/** The claim that a write was about, if it is known. */
export const claimAt = (
  context: GroupContext,
  name: string,
): { readonly uid: string } | undefined => claimsBeside(context, name).get(name);
