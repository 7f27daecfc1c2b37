// How a podcliqueset actor takes news of its ResourceClaims, and of the claim templates that it
// refers to, into its context. Called by absorb.ts.
import { withClaimGone, withClaimSeen, withTemplate } from '../claims/facts.ts';
import type { Claims, SharingEvent } from '../claims/facts.ts';
import { indexOfClaim } from '../claims/names.ts';
import { struck } from '../errorbook.ts';
import { replicaAt, touch } from './context.ts';
import type { SetContext } from './context.ts';

export function absorbSharing(context: SetContext, event: SharingEvent): SetContext {
  if (event.type === 'template.observed' || event.type === 'template.gone') {
    const templates = withTemplate(context.templates, event);
    return templates === context.templates ? context : { ...context, templates };
  }
  const isSeen = event.type === 'claim.observed';
  const { name } = isSeen ? event.fact : event;
  const index = indexOfClaim(context.key.name, name);
  const before = index === undefined ? context.claims : replicaAt(context, index).claims;
  const claims = isSeen ? withClaimSeen(before, event.fact) : withClaimGone(before, event);
  const next = claims === before ? context : withClaims(context, index, claims);
  // One that shows up was created, one that is gone cannot fail any more.
  const ref = { kind: 'ResourceClaim', namespace: context.key.namespace, name } as const;
  const errors = struck(next.errors, ref, isSeen ? 'create' : undefined);
  return errors === next.errors ? next : { ...next, errors };
}

const withClaims = (context: SetContext, index: number | undefined, claims: Claims): SetContext =>
  index === undefined
    ? { ...context, claims }
    : touch(context, index, (replica) => ({ ...replica, claims }));

/** The claim that a write was about, if it is known. */
export const claimAt = (
  context: SetContext,
  name: string,
): { readonly uid: string } | undefined => {
  const index = indexOfClaim(context.key.name, name);
  return (index === undefined ? context.claims : replicaAt(context, index).claims).get(name);
};
