// What the actor of a revision depends on besides objects: every time and bound of its own, with
// the defaults in one place (spec activator R-28). Those of the table are in
// src/activator/table/options.ts.
import type { ConfiguredInput } from '../contract/behaviour.ts';
import { microsOf, type Micros } from './time.ts';

export interface ActivatorSettings {
  /** IP of this activator, by which it finds its place among those of a revision; empty: it is not
   *  known, so it takes every pod. */
  readonly address: string;
  /** Between two validations of one pod, as long as it was not listed for longer than
   *  `validationQuickFor`; from then on twice as long each time, up to `validationSlowest`. */
  readonly validationTick: Micros;
  readonly validationQuickFor: Micros;
  readonly validationSlowest: Micros;
  /** A validation without an answer for so long is begun anew: whoever ran it has crashed. */
  readonly validationPatience: Micros;
  /** A pod that is let back is `recovering` for so long without a failure, then `ready`. */
  readonly recovery: Micros;
  /** Requests that could not reach a pod, since it last became routable, before it gets none. */
  readonly failuresToDemote: number;
  /** A pod that is `not-ready` for longer and has no request leaves the table. */
  readonly staleAfter: Micros;
  /** One that has requests by then is looked at again after this time. */
  readonly staleTick: Micros;
  /** A pod drains for the longest request timeout of its revision and this; then it is released
   *  although requests run. */
  readonly drainGrace: Micros;
  /** How often it is looked whether requests still wait, while some do. */
  readonly demandTick: Micros;
}

const seconds = (count: number): Micros => microsOf(count * 1_000);

export const defaultSettings: ActivatorSettings = {
  address: '',
  validationTick: microsOf(200),
  validationQuickFor: seconds(30),
  validationSlowest: seconds(5),
  validationPatience: seconds(5),
  recovery: seconds(10),
  failuresToDemote: 1,
  staleAfter: seconds(600),
  staleTick: seconds(60),
  drainGrace: seconds(30),
  demandTick: seconds(1),
};

export type ActivatorInput = ConfiguredInput<ActivatorSettings>;
