// What a test may ask of the little world of world.ts: other settings, refusals, lost messages.
import type { ObjectRef, ActorKey } from '#machines/contract/address.ts';
import type { ErrorCode } from '#machines/contract/errors.ts';
import type { Operation } from '#machines/contract/kind.ts';
import type { GroveSettings } from '#machines/grove/settings.ts';

export interface WorldOptions {
  /** Others than usual; the same for all actors. */
  readonly settings?: Partial<GroveSettings>;
  /** Hears of every state that an actor is in. */
  readonly trace?: (kind: ActorKey['kind'], value: unknown) => void;
  /** Refuses a write, e.g. for a quota. */
  readonly refuse?: (op: Operation, ref: ObjectRef) => ErrorCode | undefined;
  /** What whoever refuses says. */
  readonly refusal?: string;
  /** Loses a message that a view has changed. */
  readonly lose?: (to: ActorKey, view: string) => boolean;
  /** Writes take until `land` is called. */
  readonly isSlow?: boolean;
  /** Puts deliveries of a restart in another order. */
  readonly shuffle?: <T>(items: readonly T[]) => readonly T[];
}
