// Facts: what the ring and the bus tell of an actor. Types alone, but for the list of kinds, which
// the bus reads.
import type { ActorKey } from '#machines/contract/address.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';

/** Links an effect to its cause: `cause` is the id of the fact or message that led to this one,
 *  `trace` the id of the outside change at the root of it all. */
export interface Causality {
  readonly id: string;
  readonly cause: string;
  readonly trace: string;
  readonly at: EpochMs;
}

/** Told of every transition, decision and write; with a bus published on
 *  `coppice.fact.<kind>.<ns>.<name>.<what>`. */
export interface Fact extends Causality {
  readonly about: ActorKey;
  readonly what: FactKind;
  readonly data: JsonObject;
}

export const factKinds = [
  'observed', // an object of the actor's changed from outside (data: kind, name, version, …)
  'transition', // data: from, to
  'decided', // data: what, why
  'woken', // a view that it reads changed (data: view, key, value in words)
  'wrote', // data: op, object, outcome, reason, ms
  'restarted', // data: error, restarts
  'parked', // data: error, restarts
  'unparked', // data: by
  'ended',
] as const;
export type FactKind = (typeof factKinds)[number];
