// What a reflector is made with, and whom it tells what beside its observations. Given by
// client.ts.
import type { Clock, Random, Telemetry } from '#actors/ports.ts';
import type { CoppiceError } from '#machines/contract/errors.ts';
import type { Kind } from '#machines/kinds.ts';
import type { Scope } from '../paths.ts';
import type { KubeTransport } from '../transport/transport.ts';
import type { Outages } from './outages.ts';

export interface ReflectorOptions {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Telemetry['log'];
  readonly pageSize?: number;
  /** Absent: all objects of the kind that Coppice manages. */
  readonly scope?: Scope;
  /** Of all kinds that are read from the same server; absent: there is no other. */
  readonly outages?: Outages;
  /** A list of this version is complete, and those who asked for it hear of it next. */
  readonly listed?: (version: string) => void;
  /** The CRD was not installed, and now it is. */
  readonly served?: (kind: Kind) => void;
  /** Given by who takes in the replies to its writes: called in place of an observation when the
   *  watch comes to a version that a reply has told of. */
  readonly echoed?: (kind: Kind, version: string) => void;
  /** The server was restored from a backup (HISTORY_LOST): nothing more is observed, and whoever
   *  believed what was has to start anew. Called once per kind. */
  readonly lost?: (error: CoppiceError) => void;
}
