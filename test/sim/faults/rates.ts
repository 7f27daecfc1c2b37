// How hostile a simulated run is. Every seed draws its own rates (swarm testing): some runs know
// only lost replies, some only late watches, some everything at once, some nothing.
import type { Random } from '#actors/ports.ts';

export interface Rates {
  /** Chance per request. */
  readonly lostReply: number;
  readonly lostRequest: number;
  readonly throttled: number;
  readonly serverError: number;
  /** A 503, and a 504 that says nothing about whether the request was carried out. */
  readonly unavailable: number;
  readonly timeout: number;
  /** Chance per write that it gets a 504 and is carried out some hundred milliseconds later. */
  readonly lateWrite: number;
  /** Chance per write that somebody else changes its object just before. */
  readonly foreignWrite: number;
  /** Chance per write that the controller dies just before it is sent, or just after it is done. */
  readonly crash: number;
  /** Chance per request that it waits in the process before it is sent, and how long at most. */
  readonly slowSocket: number;
  readonly socketWaitMs: number;
  /** Objects per page of a list. */
  readonly pageSize: number;
  /** Chance per list that it shows a state of the past, where it follows another, whose version the
   *  process knows. */
  readonly staleList: number;
  /** Chance per process that all lists show the past that ask for any version. */
  readonly staleCache: number;
  /** The same of the first list of a kind in a process, which no API server does. */
  readonly pastStart: number;
  /** Milliseconds, uniform from 0, added to each request and each watch event. */
  readonly requestDelayMs: number;
  readonly watchLagMs: number;
  /** Chance per watch event that the watch breaks, falls silent, or is too old. */
  readonly watchBreak: number;
  readonly watchHang: number;
  readonly watchExpire: number;
  /** The same that it comes again later, and that later ones overtake it: a server keeps the order
   *  of a watch and repeats nothing but when it is resumed. */
  readonly watchRepeat: number;
  readonly watchReorder: number;
  /** Chance per message between actors, and per copy of one, that one of its bits is flipped. */
  readonly busFlip: number;
  /** Chance per message between actors. */
  readonly busDrop: number;
  readonly busDuplicate: number;
  readonly busDelayMs: number;
  /** Mean virtual seconds between such events; 0: none. */
  readonly crashEveryS: number;
  readonly clockJumpEveryS: number;
  readonly apiOutageEveryS: number;
  readonly busOutageEveryS: number;
  /** The way of watches of a process is dead for up to 90 s, while all else works. */
  readonly watchDeadEveryS: number;
  /** The server forgets its history: who resumes from an older version gets a 410. */
  readonly compactEveryS: number;
  /** A process stands still for up to a minute, and goes on with what it was about to do. */
  readonly stallEveryS: number;
  /** A process leaves in good order, and another one comes. */
  readonly leaveEveryS: number;
  /** Somebody deletes a lease by hand. */
  readonly leaseLossEveryS: number;
  /** Somebody gives a shard away by hand, while its owner may be deaf. */
  readonly forceEveryS: number;
  readonly userEditEveryS: number;
}

/** What a seed draws that has none of the faults of `drawDisorder`. */
export const order = { watchRepeat: 0, watchReorder: 0, busFlip: 0, watchDeadEveryS: 0 } as const;
export const peace = { forceEveryS: 0 } as const;
export const prompt = { lateWrite: 0 } as const;

export const calm: Rates = {
  ...order,
  ...peace,
  ...prompt,
  lostReply: 0,
  lostRequest: 0,
  throttled: 0,
  serverError: 0,
  unavailable: 0,
  timeout: 0,
  foreignWrite: 0,
  crash: 0,
  slowSocket: 0,
  socketWaitMs: 0,
  pageSize: 500,
  staleList: 0,
  staleCache: 0.5,
  pastStart: 0,
  requestDelayMs: 5,
  watchLagMs: 5,
  watchBreak: 0,
  watchHang: 0,
  watchExpire: 0,
  busDrop: 0,
  busDuplicate: 0,
  busDelayMs: 0,
  crashEveryS: 0,
  clockJumpEveryS: 0,
  apiOutageEveryS: 0,
  busOutageEveryS: 0,
  compactEveryS: 0,
  stallEveryS: 0,
  leaveEveryS: 0,
  leaseLossEveryS: 0,
  userEditEveryS: 0,
};

/** A day on which shards change hands while writes wait to be sent, and nothing else happens. */
export const contested: Rates = {
  ...calm,
  slowSocket: 0.1,
  socketWaitMs: 40_000,
  leaseLossEveryS: 15,
  stallEveryS: 40,
  userEditEveryS: 2,
};

/** A day on which watches end without having told everything, the server has forgotten it by then,
 *  and nobody starts anew: only the next list can tell what is gone. */
export const forgetful: Rates = {
  ...calm,
  watchLagMs: 10_000,
  watchBreak: 0.02,
  watchHang: 0.01,
  watchExpire: 0.1,
  compactEveryS: 1,
  userEditEveryS: 2,
};

/** A rate that is zero half of the time, so that runs differ in kind and not only in degree. */
const sometimes = (random: Random, most: number): number =>
  random.next() < 0.5 ? 0 : random.next() * most;

/** Mean seconds between events: never, or between `least` and `most`. */
const every = (random: Random, least: number, most: number): number =>
  random.next() < 0.5 ? 0 : least + random.next() * (most - least);

/** Drawn apart from the others. */
export const drawRefusals = (random: Random): Pick<Rates, 'unavailable' | 'timeout'> => ({
  unavailable: sometimes(random, 0.1),
  timeout: sometimes(random, 0.1),
});

export const drawDisorder = (random: Random): Pick<Rates, keyof typeof order> => ({
  watchRepeat: sometimes(random, 0.3),
  watchReorder: sometimes(random, 0.3),
  busFlip: sometimes(random, 0.3),
  watchDeadEveryS: every(random, 20, 90),
});

export const drawForce = (random: Random): Pick<Rates, 'forceEveryS'> => ({
  forceEveryS: 5 + random.next() * 25,
});

export const drawLateness = (random: Random): Pick<Rates, 'lateWrite'> => ({
  lateWrite: 0.02 + random.next() * 0.1,
});

type DrawnApart = ReturnType<typeof drawRefusals> &
  ReturnType<typeof drawDisorder> &
  typeof peace &
  typeof prompt;

export const draw = (random: Random): Omit<Rates, keyof DrawnApart> => ({
  lostReply: sometimes(random, 0.2),
  lostRequest: sometimes(random, 0.1),
  throttled: sometimes(random, 0.1),
  serverError: sometimes(random, 0.1),
  foreignWrite: sometimes(random, 0.2),
  crash: sometimes(random, 0.05),
  slowSocket: sometimes(random, 0.1),
  socketWaitMs: 100 + random.next() * 40_000,
  pageSize: 3 + Math.floor(random.next() ** 3 * 498),
  staleList: sometimes(random, 0.5),
  staleCache: 0.5,
  pastStart: 0,
  requestDelayMs: 1 + sometimes(random, 500),
  watchLagMs: 1 + sometimes(random, random.next() < 0.2 ? 30_000 : 1_000),
  watchBreak: sometimes(random, 0.02),
  watchHang: sometimes(random, 0.005),
  watchExpire: sometimes(random, 0.01),
  busDrop: sometimes(random, 0.5),
  busDuplicate: sometimes(random, 0.3),
  busDelayMs: sometimes(random, 5_000),
  crashEveryS: every(random, 3, 60),
  clockJumpEveryS: every(random, 20, 120),
  apiOutageEveryS: every(random, 30, 120),
  busOutageEveryS: every(random, 10, 60),
  compactEveryS: every(random, 1, 20),
  stallEveryS: every(random, 10, 90),
  leaveEveryS: every(random, 20, 120),
  leaseLossEveryS: every(random, 20, 120),
  userEditEveryS: 0.5 + random.next() * 8,
});
