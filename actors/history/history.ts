// What this process remembers of its own facts, in front of the bus and independent of it: the last
// 20,000, by actor and by trace. Asked by the questions `history` and `trace` and by the inspector.
import type { ActorKey } from '#machines/contract/address.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';
import type { Fact } from './facts.ts';

/** A fact with its place: 1 for the first of this process, without gaps. */
export interface Recorded extends Fact {
  readonly sequence: number;
}

export interface FactHistory {
  /** Of the newest fact; 0: there is none yet. */
  readonly newest: number;
  /** Of the oldest that is still known; 0: there is none. */
  readonly oldest: number;
  /** Oldest first, behind a place. */
  after(sequence: number, limit: number): readonly Recorded[];
  /** Newest first; `before`: a place, absent: from the newest. */
  of(actor: string, limit: number, before?: number): readonly Recorded[];
  /** Oldest first. */
  trace(id: string): readonly Recorded[];
  /** Oldest first, of a span of time. */
  between(from: EpochMs, to: EpochMs, limit: number): readonly Recorded[];
  /** Is called for each fact from now on, and must be cheap; the result ends it. */
  subscribe(listener: (fact: Recorded) => void): () => void;
}

/** One actor as lists show it. */
export interface ActorRow {
  readonly key: ActorKey;
  readonly machine: string;
  readonly state: string | JsonObject;
  /** The actor of the object that controls its object; undefined: it is a root. */
  readonly parent: string | undefined;
  /** When the state was entered. */
  readonly since: EpochMs;
  readonly restarts: number;
  readonly parked: boolean;
  readonly mailbox: number;
  /** Since when the oldest of it waits, on the steady clock; absent: there is none. */
  readonly mailSince?: number;
}
