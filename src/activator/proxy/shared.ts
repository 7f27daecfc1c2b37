// What all requests of a request path share. Made by start.ts.
import type { Telemetry } from '#actors/ports.ts';
import type { Demand } from '../demand.ts';
import type { FindRequests } from '../served-revision.ts';
import type { Deadlines } from './deadlines.ts';
import type { Figures } from './figures.ts';
import type { LoggedRequest } from './logged.ts';
import type { RequestLimits } from './options.ts';
import type { FindPodName } from './pod-names.ts';
import type { PodClients } from './pods.ts';
import type { Probes } from './probes.ts';
import type { FindRules } from './rules.ts';
import type { RequestsUnderWay } from './under-way.ts';

export interface Shared {
  readonly plane: FindRequests;
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
  readonly underWay: RequestsUnderWay;
  /** No more connections are taken, and those that are open end with their request. */
  readonly isClosing: () => boolean;
}
