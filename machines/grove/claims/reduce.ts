// How an actor that has replicas takes news of its ResourceClaims, and of the claim templates that
// it refers to, into its context. Called by the reduce.ts of sets and of scaling groups.
import { withRead } from '../../contract/view.ts';
import { replicaAt, touch } from '../children/replicas.ts';
import type { ReplicaBook } from '../children/replicas.ts';
import { resolved } from '../failure-log.ts';
import type { FailureLog } from '../failure-log.ts';
import { withClaimGone, withClaimSeen } from '../objects/claims.ts';
import type { Claims, Templates } from '../objects/claims.ts';
import { indexOfClaim } from '../objects/names.ts';
import type { SharingEvent } from '../views/claim-template.ts';

export interface Sharer {
  readonly key: { readonly namespace: string; readonly name: string };
  /** Its own ResourceClaims that all replicas share. */
  readonly claims: Claims;
  readonly templates: Templates;
  readonly errors: FailureLog;
}

/** The next context, or the same one where it is no news. */
export function reduceSharing<Observed, Context extends Sharer>(
  context: Context & ReplicaBook<Observed>,
  event: SharingEvent,
): Context {
  if (event.type === 'claimTemplate.read') {
    return { ...context, templates: withRead(context.templates, event.key, event.template) };
  }
  const isSeen = event.type === 'claim.observed';
  const { name } = isSeen ? event.observed : event;
  const before = claimsBeside(context, name);
  const claims = isSeen ? withClaimSeen(before, event.observed) : withClaimGone(before, event);
  const next = claims === before ? context : withClaims(context, name, claims);
  // One that shows up was created, one that is gone cannot fail any more.
  const ref = { kind: 'ResourceClaim', namespace: context.key.namespace, name } as const;
  const errors = resolved(next.errors, ref, isSeen ? 'create' : undefined);
  return errors === next.errors ? next : { ...next, errors };
}

/** The claim of this name, if it is known. */
export const claimAt = <Observed>(
  context: Sharer & ReplicaBook<Observed>,
  name: string,
): { readonly uid: string } | undefined => claimsBeside(context, name).get(name);

/** The claims among which the one with this name belongs. */
function claimsBeside<Observed>(context: Sharer & ReplicaBook<Observed>, name: string): Claims {
  const index = indexOfClaim(context.key.name, name);
  return index === undefined ? context.claims : replicaAt(context, index).claims;
}

function withClaims<Observed, Context extends Sharer>(
  context: Context & ReplicaBook<Observed>,
  name: string,
  claims: Claims,
): Context {
  const index = indexOfClaim(context.key.name, name);
  if (index === undefined) return { ...context, claims };
  return touch<Observed, Context>(context, index, (replica) => ({ ...replica, claims }));
}
