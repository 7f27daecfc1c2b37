// The place of warmpool/assigning/, which serves claims: until it is there no claim is served.
import type { ObservedClaim } from '../objects/claim.ts';

export interface AssigningContext {}

export interface AssigningEvent {
  readonly type: 'claim.listed' | 'claim.left';
  readonly observed: ObservedClaim;
}

export const startAssigning: AssigningContext = {};

/** A claim is told of this member, or is about to be: it is nobody else's. */
export const isAssigned = (_: AssigningContext, _name: string): boolean => false;

/** Claims that wait for a Sandbox or are being given one. */
export const claimsInProgress = (_: AssigningContext): number => 0;

/** Hears of all events. */
export const reduceAssigning = <C extends AssigningContext>(
  context: C,
  _: { readonly type: string },
): C => context;
