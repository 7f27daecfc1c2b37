// How hostile a simulated run is. Every seed draws its own rates (swarm testing): some runs know
// only lost replies, some only late watches, some everything at once, some nothing.
import type { Random } from '#actors/ports.ts';

export interface Rates {
  /** Chance per request. */
  readonly lostReply: number;
  readonly lostRequest: number;
  readonly throttled: number;
  readonly serverError: number;
  readonly foreignWrite: number;
  /** Milliseconds, uniform from 0, added to each request and each watch event. */
  readonly requestDelayMs: number;
  readonly watchLagMs: number;
  /** Chance per watch event that the watch breaks, falls silent, or is too old. */
  readonly watchBreak: number;
  readonly watchHang: number;
  readonly watchExpire: number;
  /** Mean virtual seconds between crashes of the controller; 0: none. */
  readonly crashEveryS: number;
  readonly clockJumpEveryS: number;
  readonly userEditEveryS: number;
}

export const calm: Rates = {
  lostReply: 0,
  lostRequest: 0,
  throttled: 0,
  serverError: 0,
  foreignWrite: 0,
  requestDelayMs: 5,
  watchLagMs: 5,
  watchBreak: 0,
  watchHang: 0,
  watchExpire: 0,
  crashEveryS: 0,
  clockJumpEveryS: 0,
  userEditEveryS: 0,
};

/** A chance that is zero half of the time, so that runs differ in kind and not only in degree. */
const sometimes = (random: Random, most: number): number =>
  random.next() < 0.5 ? 0 : random.next() * most;

export const draw = (random: Random): Rates => ({
  lostReply: sometimes(random, 0.2),
  lostRequest: sometimes(random, 0.1),
  throttled: sometimes(random, 0.1),
  serverError: sometimes(random, 0.1),
  foreignWrite: sometimes(random, 0.1),
  requestDelayMs: 1 + sometimes(random, 500),
  watchLagMs: 1 + sometimes(random, random.next() < 0.2 ? 30_000 : 1_000),
  watchBreak: sometimes(random, 0.02),
  watchHang: sometimes(random, 0.005),
  watchExpire: sometimes(random, 0.01),
  crashEveryS: sometimes(random, 30),
  clockJumpEveryS: sometimes(random, 120),
  userEditEveryS: sometimes(random, 20),
});
