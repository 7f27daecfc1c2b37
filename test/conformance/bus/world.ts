// What the conformance suite of the bus port needs of an implementation: members of one bus, a look
// at everything on it, and a foreign hand that puts anything there.
import type { BusPort } from '#actors/ports.ts';
import { busLimits } from '#bus/limits.ts';

export interface Seen {
  readonly subject: string;
  readonly bytes: Uint8Array;
}

export interface BusWorld {
  /** A connected member; `name` is for people. */
  join(name: string): Promise<BusPort>;
  /** Everything published on `coppice.>` since the world began, in order. */
  readonly seen: readonly Seen[];
  /** Publishes as somebody else would. */
  inject(subject: string, bytes: Uint8Array): void;
  /** Messages that a member refused. */
  rejected(member: BusPort): number;
  /** Lets things happen until the claim holds; fails after a few seconds of this world's time. */
  until(claim: () => boolean): Promise<void>;
  /** Lets everything that is under way arrive. */
  stabilize(): Promise<void>;
  /** Lets this much of the world's time go by while a promise is waited for. */
  during<T>(ms: number, work: Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** A world with two members in it, which every test gets anew. */
export interface Scene {
  readonly world: () => BusWorld;
  readonly alice: () => BusPort;
  readonly bob: () => BusPort;
}

/** More than fits into one message. */
export const tooLarge = 'x'.repeat(busLimits.maxMessageBytes);
