// What the inspector needs to know of the process that it looks at, as types. The composition root
// (src/controller/start.ts) puts it together, tests make one of their own.
import type { Clock, ShardLease, Telemetry } from '#actors/ports.ts';
import type { ActorSystem } from '#actors/system.ts';
import type { PeerRequest } from '#src/questions/peer.ts';

/** Its actors. */
export type Source = Pick<
  ActorSystem,
  'history' | 'rows' | 'row' | 'changedSince' | 'onRow' | 'blocked' | 'ask'
>;

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
