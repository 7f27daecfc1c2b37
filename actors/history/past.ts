// What the bus keeps of facts for longer than a process does, as types.
import type { EpochMs } from '#machines/kubernetes/time.ts';
import type { Fact } from './facts.ts';

export interface WantedPast {
  readonly limit: number;
  /** A place in the stream; absent: from the newest. */
  readonly before: number | undefined;
  /** Nothing that happened later. */
  readonly until: EpochMs;
  /** The fact with this id is known already, and with it what is behind it. */
  readonly notBehind: string | undefined;
}

export interface Past {
  /** Newest first, each with its place in the stream. */
  readonly facts: readonly { readonly place: number; readonly fact: Fact }[];
  /** Where the next ones are; absent: there are no more. */
  readonly before?: number;
}
