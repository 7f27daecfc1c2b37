// What the inspector needs to know of the process that it looks at, as types. The composition root
// (src/controller/start.ts) puts it together, tests make one of their own.
import type { ActorRow, FactHistory } from '#actors/history/history.ts';
import type { Answer, Ask, Clock, HandOn, ShardLease, Telemetry } from '#actors/ports.ts';
import type { ActorKey } from '#machines/contract/address.ts';
import type { PeerRequest, PeerResponse } from '#src/questions/peer.ts';

export interface Source {
  readonly history: FactHistory;
  rows(): Iterable<ActorRow>;
  /** By id. Undefined: it does not run here. */
  row(actor: string): ActorRow | undefined;
  /** Is called when a row may have changed; the result ends it. */
  onRow(listener: (key: ActorKey) => void): () => void;
  ask(ask: Ask, handOn?: HandOn): Promise<Answer>;
  /** Writes that wait after an error. */
  blocked(): Iterable<BlockedWrite>;
}

export interface BlockedWrite {
  /** Whose write it is. */
  readonly about: ActorKey;
  readonly object: string;
  readonly code: string;
  /** Null: until the spec changes. */
  readonly until: number | null;
}

/** What is said of the process itself. */
export interface Process {
  readonly version: string;
  /** Another one after each start. */
  readonly id: string;
  readonly startedAt: number;
  readonly stream: 'none' | 'jetstream';
  readonly lease: ShardLease;
  /** By answer of the API server, since the start. */
  answers(): Readonly<Record<string, number>>;
  writesPerSecond(): number;
  watches(): readonly { readonly kind: string; readonly ageMs: number }[];
  readonly clock: Clock;
  readonly log: Telemetry['log'];
  /** Asks another process; undefined while there are no questions over HTTPS, by which processes
   *  reach each other. */
  peer(): PeerRequest | undefined;
}

export type { PeerRequest, PeerResponse };
