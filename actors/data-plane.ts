// The port to what a module runs beside its actors, as types: `src/` implements it, the runner
// hands it instructions, the supervisor says when an actor is over.
import type { ActorKey } from '#machines/contract/address.ts';
import type { Instruction } from '#machines/contract/intents.ts';
import type { ActorKind } from '#machines/contract/kind.ts';

/** What a module runs beside the actors of a kind, such as the pod tables of the activator: it
 *  works on while they crash, wait for a restart or are parked. What it has to say goes to
 *  `ActorSystem.signal`. */
export interface DataPlane {
  /** At once, and nothing of it later. A throw is a crash of the actor. */
  carryOut(from: ActorKey, instruction: Instruction): void;
  /** Nobody instructs it for this actor any more: it has ended, and did not just crash. */
  ended(from: ActorKey): void;
}

/** Of the kinds that have one. */
export type DataPlanes = ReadonlyMap<ActorKind, DataPlane>;
