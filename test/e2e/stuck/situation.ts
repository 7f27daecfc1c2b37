// A situation in which somebody is stuck on a cluster and asks why: how to get there, whom to ask,
// and what the answer must say. embedded.test.ts brings each about and asks in all three ways.
import type { ActorKey } from '#machines/contract/address.ts';
import type { ActorKind } from '#machines/contract/kind.ts';
import type { Scene } from './scene.ts';

export interface Told {
  /** What is the matter, as a sentence. */
  readonly matter: string;
  readonly asked: (scene: Scene) => ActorKey | Promise<ActorKey>;
  /** Of one sentence of the answer: the cause, in all these words. */
  readonly says: readonly string[];
}

export interface Situation extends Told {
  /** Brings it about; what it does not wait for is waited for by asking. */
  readonly make: (scene: Scene) => Promise<unknown>;
  /** What others of the same scene say. */
  readonly also?: readonly Told[];
}

/** In the namespace of the scene. */
export const of =
  (kind: ActorKind, name: string): Told['asked'] =>
  ({ namespace }) => ({ kind, namespace, name });
