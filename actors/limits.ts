// Every bound of the runtime, by name, in one place. The system takes the defaults unless the
// composition root or a test gives others; what happens at each bound is said here, next to it.

export interface Limits {
  /** Mail that one actor takes before the others of the same tick have their turn. */
  readonly mailBatch: number;
  /** A slice of work ends after this time, so that timers and sockets are served. */
  readonly sliceMs: number;
  /** A slice ends after so many steps too, whatever the clock says. */
  readonly sliceSteps: number;
  /** Ticks that may follow each other at once. */
  readonly tickBurst: number;
  /** The time that gives one more: what comes in meanwhile is one tick's work. */
  readonly tickDistanceMs: number;
  /** Writes in flight, all kinds together. */
  readonly writesInFlight: number;
  /** Writes in flight of one kind; 429 halves it for a while. */
  readonly writesInFlightPerKind: number;
  /** First and last pause after a failed write, per object (and per kind after 429). */
  readonly retryMinMs: number;
  readonly retryMaxMs: number;
  /** The longest where nobody answered: everything fails then, and when the server is back all of
   *  it shall be soon; the writes in flight are bounded. */
  readonly unreachableMaxMs: number;
  /** Pause before an object is created again that went each time soon after, once that is known
   *  well; a share of it is added by chance. */
  readonly recreateMaxMs: number;
  /** An actor that may try again and does not in this time wants the write no more. */
  readonly repeatMs: number;
  /** Pause after a refusal that may be lifted from outside: a quota, a webhook, RBAC. */
  readonly refusedRetryMs: number;
  /** The same after the first 403, twice that after the next: an API server that has just started
   *  knows no roles yet. */
  readonly forbiddenRetryMs: number;
  /** A lazy status is written when nothing else was for this time, hence at most once in it. */
  readonly lazyStatusMs: number;
  /** It is written after this time in any case. */
  readonly lazyStatusMaxMs: number;
  /** Urgent statuses and patches of one object in the time given; more of them wait like lazy ones.
   *  So two that write against each other do that once a second and not a thousand times. */
  readonly updateBurst: number;
  readonly updateBurstMs: number;
  /** Writes of root actors wait for those of the actors below, but have the first choice once in so
   *  many. */
  readonly rootEvery: number;
  /** The same for statuses, which wait for both. Less often: what they tell of is there to be seen,
   *  and while there is much to create each of them puts it off. */
  readonly statusEvery: number;
  /** UIDs of deleted objects that are remembered, so that a late event cannot bring them back. */
  readonly tombstones: number;
  /** Events for one object that may go out in a burst, and the time that gives one more. */
  readonly eventBurst: number;
  readonly eventRefillMs: number;
  /** Least time between two updates of the count of one Event. */
  readonly eventRepeatMs: number;
  /** Events whose counts are remembered, and Events in flight. */
  readonly eventsKnown: number;
  readonly eventsInFlight: number;
  /** Lists in flight that actors asked for; the next ones wait, first come first. */
  readonly refreshesInFlight: number;
  /** Decisions of an actor that are kept for `why`. */
  readonly decisionsKept: number;
  /** What an actor reads may lead to more that it reads, so often in one reconcile; what is left
   *  comes with the next. */
  readonly viewRounds: number;
  /** Whoever was to be woken over the bus is woken without it after this time. */
  readonly wakeMs: number;
  /** Questions that behaviours have not answered yet; the next one is answered with THROTTLED. */
  readonly openQuestions: number;
  /** Time for such an answer. */
  readonly answerMs: number;
  /** Time that `stop` waits for writes in flight. */
  readonly stopMs: number;
}

export const defaultLimits: Limits = {
  mailBatch: 256,
  sliceMs: 12,
  sliceSteps: 1_000,
  tickBurst: 32,
  tickDistanceMs: 25,
  writesInFlight: 64,
  writesInFlightPerKind: 32,
  retryMinMs: 200,
  retryMaxMs: 30_000,
  unreachableMaxMs: 5_000,
  recreateMaxMs: 10_000,
  repeatMs: 2_000,
  refusedRetryMs: 60_000,
  forbiddenRetryMs: 2_000,
  lazyStatusMs: 1_000,
  lazyStatusMaxMs: 30_000,
  updateBurst: 10,
  updateBurstMs: 10_000,
  rootEvery: 8,
  statusEvery: 30,
  tombstones: 20_000,
  eventBurst: 25,
  eventRefillMs: 60_000,
  eventRepeatMs: 10_000,
  eventsKnown: 4_096,
  eventsInFlight: 4,
  refreshesInFlight: 8,
  decisionsKept: 20,
  viewRounds: 4,
  wakeMs: 5_000,
  openQuestions: 1_000,
  answerMs: 10_000,
  stopMs: 5_000,
};
