// What the request path is given, with its limits and their defaults in one place (spec activator
// 1.3, 1.8, 1.13, 1.15). Read by start.ts and by whoever configures an activator.
import type { Telemetry } from '#actors/ports.ts';
import type { Demand } from '../demand.ts';
import type { FindRequests } from '../served-revision.ts';
import type { Figures } from './figures.ts';
import type { FindPodName } from './pod-names.ts';
import type { PodClients } from './pods.ts';
import type { FindRules } from './rules.ts';

export interface RequestPathOptions {
  readonly plane: FindRequests;
  readonly demand: Demand;
  /** Connections to pods; whoever probes them asks through the same ones (H-52). */
  readonly pods: PodClients;
  /** What the object of a revision says of its requests. Undefined: all is default. */
  readonly rules: FindRules;
  readonly log: Telemetry['log'];
  /** Why this process is not well; undefined: it is. Asked for each probe of the kubelet, with the
   *  path of the probe; a process that drains answers for itself. */
  readonly health: (path: string) => string | undefined;
  readonly listen: Listening;
  readonly clusterDomain?: string;
  /** `K-Passthrough-Lb` for a mesh that routes by it (H-60). */
  readonly isPassthrough?: boolean;
  readonly requestLog?: RequestLogOptions;
  /** For the request log; absent: pods have no names. */
  readonly podNameOf?: FindPodName;
  readonly limits?: Partial<RequestLimits>;
  /** Where requests are counted: those that `startActivator` shows. */
  readonly figures?: Figures;
}

/** Port 0: any free one. Absent ports are not listened on. */
export interface Listening {
  readonly host: string;
  /** Others of this process listen on the same ports, and each connection goes to one of them. */
  readonly isShared?: boolean;
  /** HTTP/1.1, and h2c by prior knowledge. */
  readonly http: number;
  /** h2c alone. */
  readonly h2c?: number;
  /** HTTP/1.1 and HTTP/2 over TLS. */
  readonly https?: SecureListening;
}

export interface SecureListening {
  readonly port: number;
  /** With `tls.crt` and `tls.key`, which are read again every `pollMs`. */
  readonly folder: string;
  readonly pollMs?: number;
}

export interface RequestLogOptions {
  /** Of Knative's `logging.request-log-template`; proxy/request-log.ts lists its fields. */
  readonly template: string;
  readonly write: (line: string) => void;
}

export interface RequestLimits {
  /** A request's head must be here (H-92). */
  readonly headerMs: number;
  readonly headerBytes: number;
  readonly handshakeMs: number;
  /** A connection without requests is closed after this; 0: never, so that no gateway meets the
   *  close with its next request. */
  readonly idleMs: number;
  /** Connections from clients at once; those beyond are closed. */
  readonly connections: number;
  /** Requests on one connection of HTTP/2 at once. */
  readonly streams: number;
  /** After SIGTERM requests are served as before for so long: not everybody knows yet. */
  readonly drainMs: number;
  /** Upgraded connections are closed after this time of a drain. */
  readonly upgradedMs: number;
  /** What a client still sends after an early answer is read for so long. */
  readonly lingerMs: number;
  /** Before a request whose pod could not be reached asks for another one. */
  readonly retryMs: number;
}

export const requestLimits: RequestLimits = {
  headerMs: 60_000,
  headerBytes: 64 * 1_024,
  handshakeMs: 10_000,
  idleMs: 0,
  connections: 50_000,
  streams: 250,
  drainMs: 45_000,
  upgradedMs: 60_000,
  lingerMs: 1_000,
  retryMs: 25,
};

export interface RequestPath {
  readonly ports: { readonly http: number; readonly h2c?: number; readonly https?: number };
  /** Those of the options, or its own. */
  readonly figures: Figures;
  /** Probes of the kubelet fail from now on; requests are served as before for `drainMs`, then no
   *  more connections are taken, and it resolves when the last request has ended. */
  drain(): Promise<void>;
  /** At once: ends what is under way. */
  stop(): Promise<void>;
}
