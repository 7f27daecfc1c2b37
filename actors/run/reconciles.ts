// Who is told of reconciles, for traces: what of them is no fact. The runner of actors calls it,
// src/tracing/ implements it.
import type { ActorKey } from '#machines/contract/address.ts';
import type { Cause } from '../mail/causality.ts';

/** Is told of each reconcile as it begins and ends; facts about the actor that come in between
 *  belong to it. Must be cheap, and never throws. */
export interface ReconcileListener {
  began(about: ActorKey, controller: string, cause: Cause): void;
  /** `reconcileId`: as its writes name it; empty where nothing was asked for. */
  ended(reconcileId: string): void;
}
