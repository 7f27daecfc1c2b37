// How an actor that has replicas takes news of its ResourceClaims, of the claim templates that it
// refers to, and of what writes on claims and children come to, into its context. Called by the
// reduce.ts of sets and of scaling groups.
import { withRead } from '../../contract/view.ts';
import { replicaAt, touch, type ReplicaBook } from '../children/replicas.ts';
import { isWorthTelling, recorded, resolved, withErrors } from '../../contract/failure-log.ts';
import type { FailedEffect, Living } from '../../contract/failure-log.ts';
import { noClaims, withClaimGone, withClaimSeen } from '../objects/claims.ts';
import type { Claims, Templates } from '../objects/claims.ts';
import { indexOfClaim } from '../objects/names.ts';
import type { SharingEvent } from '../views/claim-template.ts';
import type { ActorKey, ObjectRef } from '../../contract/address.ts';
import { childOf, hasRow } from '../children/reduce.ts';
import type { ChildTable, ObservedByKind } from '../children/type.ts';

/** What the actor of a set, a scaling group or a PodClique remembers. */
export interface SharingContext extends Living {
  readonly key: ActorKey;
  /** Its own ResourceClaims, where it has replicas those that all of them share. */
  readonly claims: Claims;
  /** Claim templates of the cluster that the set refers to. */
  readonly templates: Templates;
  /** It was deleted with its children to be kept: said by a finalizer, which others take away
   *  before us. */
  readonly isOrphaning: boolean;
}

export const startSharer = {
  isGone: false,
  claims: noClaims,
  templates: new Map(),
  errors: [],
  isOrphaning: false,
} as const;

/** The next context, or the same one where it is no news. */
export function reduceSharing<Observed, Context extends SharingContext>(
  context: Context & ReplicaBook<Observed>,
  event: SharingEvent,
): Context {
  if (event.type === 'claimTemplate.read') {
    return { ...context, templates: withRead(context.templates, event.key, event.value) };
  }
  const isSeen = event.type === 'claim.observed';
  const { name } = isSeen ? event.observed : event;
  const before = claimsBeside(context, name);
  const claims = isSeen ? withClaimSeen(before, event.observed) : withClaimGone(before, event);
  const next = claims === before ? context : withClaims(context, name, claims);
  // One that shows up was created, one that is gone cannot fail any more.
  const ref = { kind: 'ResourceClaim', namespace: context.key.namespace, name } as const;
  return withErrors(next, resolved(next.errors, ref, isSeen ? 'create' : undefined));
}

/** Its claims for all replicas (undefined), or those for this one. */
export const claimsOf =
  <Observed>(context: SharingContext & ReplicaBook<Observed>) =>
  (index: number | undefined): Claims =>
    index === undefined ? context.claims : replicaAt(context, index).claims;

/** The claims among which the one with this name belongs. */
const claimsBeside = <Observed>(
  context: SharingContext & ReplicaBook<Observed>,
  name: string,
): Claims => claimsOf(context)(indexOfClaim(context.key.name, name));

function withClaims<Observed, Context extends SharingContext>(
  context: Context & ReplicaBook<Observed>,
  name: string,
  claims: Claims,
): Context {
  const index = indexOfClaim(context.key.name, name);
  if (index === undefined) return { ...context, claims };
  return touch<Observed, Context>(context, index, (replica) => ({ ...replica, claims }));
}

/** The replica that an object belongs to, by its name. */
const replicaOf = <Observed extends ObservedByKind<Observed>>(
  table: ChildTable<Observed, never>,
  parent: string,
  { kind, name }: ObjectRef,
): number | undefined => {
  if (kind === 'ResourceClaim') return indexOfClaim(parent, name);
  return hasRow(table, kind) ? table[kind].place(parent, name)?.replica : undefined;
};

/** The replica of the child or claim is planned again. */
export function withTouched<
  Observed extends ObservedByKind<Observed>,
  Context extends SharingContext,
>(
  table: ChildTable<Observed, never>,
  context: Context & ReplicaBook<Observed>,
  ref: ObjectRef,
): Context {
  const index = replicaOf(table, context.key.name, ref);
  return index === undefined ? context : touch(context, index, (replica) => replica);
}

/** The context after a failed write on a child or a claim of one of `wanted` replicas. */
export function withFailedWrite<
  Observed extends ObservedByKind<Observed>,
  Context extends SharingContext,
>(
  table: ChildTable<Observed, never>,
  context: Context & ReplicaBook<Observed>,
  event: FailedEffect,
  wanted: number,
): Context {
  const { op, ref } = event;
  const index = replicaOf(table, context.key.name, ref);
  const child = childOf(table, context, context.key.name, ref);
  const claim =
    ref.kind === 'ResourceClaim' ? claimsBeside(context, ref.name).get(ref.name) : undefined;
  // A write whose answer was an error may have been done all the same, and be seen already. And
  // what was asked for before a scale-in is wanted by nobody.
  const isSurplus = index !== undefined && index >= wanted;
  if (op === 'create' && (isSurplus || (child ?? claim) !== undefined)) return context;
  const next = { ...context, errors: recorded(context.errors, event) };
  const isRefusal = op === 'delete' && isWorthTelling(event);
  if (!isRefusal || index === undefined || child === undefined) return next;
  // Remembered by UID: nothing waits for that child any more.
  return touch<Observed, Context>(next, index, (replica) => ({
    ...replica,
    refused: new Set([...replica.refused, child.uid]),
  }));
}
