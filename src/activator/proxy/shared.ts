// What all requests of a request path share. Made by start.ts.
import type { Telemetry } from '#actors/ports.ts';
import type { RevisionPlane } from '../data-plane.ts';
import type { Demand } from '../demand.ts';
import type { Deadlines } from './deadlines.ts';
import type { Figures } from './figures.ts';
import type { LoggedRequest } from './logged.ts';
import type { RequestLimits } from './options.ts';
import type { FindPodName } from './pod-names.ts';
import type { PodClients } from './pods.ts';
import type { Probes } from './probes.ts';
import type { FindRules } from './rules.ts';

export interface Shared {
  readonly plane: Pick<RevisionPlane, 'find'>;
  readonly demand: Demand;
  readonly pods: PodClients;
  readonly rules: FindRules;
  readonly log: Telemetry['log'];
  readonly probes: Probes;
  readonly clusterDomain: string;
  readonly isPassthrough: boolean;
  readonly limits: RequestLimits;
  readonly deadlines: Deadlines;
  readonly figures: Figures;
  readonly podNameOf: FindPodName;
  readonly requestLog: ((request: LoggedRequest) => void) | undefined;
  readonly underWay: Set<UnderWay>;
  /** No more connections are taken, and those that are open end with their request. */
  readonly isClosing: () => boolean;
}

/** A request that has begun, to whoever ends all of them. */
export interface UnderWay {
  /** It is of those that nobody waits for without end: connections that speak another protocol. */
  readonly isUpgraded: boolean;
  /** Ends one of those. */
  leave(): void;
  /** The process stops. */
  stop(): void;
}
