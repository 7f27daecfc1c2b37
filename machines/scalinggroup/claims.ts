// How a scalinggroup actor takes news of its ResourceClaims, and of the claim templates that its
// set refers to, into its context. Called by absorb.ts.
import { withClaimGone, withClaimSeen, withTemplate } from '../claims/facts.ts';
import type { Claims, SharingEvent } from '../claims/facts.ts';
import { indexOfClaim } from '../claims/names.ts';
import { struck } from '../errorbook.ts';
import { replicaAt, withReplica } from './context.ts';
import type { GroupContext } from './context.ts';

export function absorbSharing(context: GroupContext, event: SharingEvent): GroupContext {
  if (event.type === 'template.observed' || event.type === 'template.gone') {
    const templates = withTemplate(context.templates, event);
    return templates === context.templates ? context : { ...context, templates };
  }
  const isSeen = event.type === 'claim.observed';
  const { name } = isSeen ? event.fact : event;
  const before = claimsBeside(context, name);
  const claims = isSeen ? withClaimSeen(before, event.fact) : withClaimGone(before, event);
  const next = claims === before ? context : withClaims(context, name, claims);
  // One that shows up was created, one that is gone cannot fail any more.
  const ref = { kind: 'ResourceClaim', namespace: context.key.namespace, name } as const;
  const errors = struck(next.errors, ref, isSeen ? 'create' : undefined);
  return errors === next.errors ? next : { ...next, errors };
}

/** The claims of the replica that this one is for, or those for all. */
function claimsBeside(context: GroupContext, name: string): Claims {
  const index = indexOfClaim(context.key.name, name);
  return index === undefined ? context.claims : replicaAt(context, index).claims;
}

function withClaims(context: GroupContext, name: string, claims: Claims): GroupContext {
  const index = indexOfClaim(context.key.name, name);
  if (index === undefined) return { ...context, claims };
  return withReplica(context, index, { ...replicaAt(context, index), claims });
}

/** The claim that a write was about, if it is known. */
export const claimAt = (
  context: GroupContext,
  name: string,
): { readonly uid: string } | undefined => claimsBeside(context, name).get(name);
