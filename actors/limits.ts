// Every bound of the runtime, by name, in one place. The system takes the defaults unless the
// composition root or a test gives others; what happens at each bound is said here, next to it.

export const defaultLimits = {
  /** Mail that one actor takes before the others of the same tick have their turn. */
  mailBatch: 256,
  /** A slice of work ends after this time, so that timers and sockets are served. */
  sliceMs: 12,
  /** A slice ends after so many steps too, whatever the clock says. */
  sliceSteps: 1_000,
  /** Ticks that may follow each other at once. */
  tickBurst: 64,
  /** The same at most, after waits that took in little: so many ticks may still follow each other
   *  when a chain turns into a stream. */
  tickBurstMost: 512,
  /** The time that gives one more: what comes in meanwhile is one tick's work. */
  tickDistanceMs: 25,
  /** Where less comes in while a tick waits, it waited for a chain of answers and not for a stream
   *  of news: the next burst follows at once. */
  tickStream: 8,
  /** The same where somebody waits for what comes of it, such as the answer to a `first` write. */
  tickUrgentMs: 1,
  /** Writes in flight, all kinds together. */
  writesInFlight: 64,
  /** Writes in flight of one kind; 429 halves it for a while. */
  writesInFlightPerKind: 32,
  /** First and last pause after a failed write, per object (and per kind after 429). */
  retryMinMs: 200,
  retryMaxMs: 30_000,
  /** The longest where nobody answered: everything fails then, and when the server is back all of
   *  it shall be soon; the writes in flight are bounded. */
  unreachableMaxMs: 5_000,
  /** Pause before an object is created again that went each time soon after, once that is known
   *  well; a share of it is added by chance. */
  recreateMaxMs: 10_000,
  /** An actor that may try again and does not in this time wants the write no more. */
  repeatMs: 2_000,
  /** Pause after a refusal that may be lifted from outside: a quota, a webhook, RBAC. */
  refusedRetryMs: 60_000,
  /** The same after the first 403, twice that after the next: an API server that has just started
   *  knows no roles yet. */
  forbiddenRetryMs: 2_000,
  /** A lazy status is written when nothing else was for this time, hence at most once in it. */
  lazyStatusMs: 1_000,
  /** It is written after this time in any case. */
  lazyStatusMaxMs: 30_000,
  /** Urgent statuses and patches of one object in the time given; more of them wait for a second,
   *  so two that write against each other do that once a second and not a thousand times. */
  updateBurst: 10,
  /** The same for patches and statuses for which other objects wait, and none may wait for a
   *  second: a clique of eighteen nodes has a write for each that joins and for each that is ready,
   *  and a set that is updated has one for each replica, of which a quick cluster does ten a
   *  second. */
  firstBurst: 240,
  updateBurstMs: 10_000,
  /** Writes of root actors wait for those of the actors below, but have the first choice once in so
   *  many. */
  rootEvery: 8,
  /** The same for statuses, which wait for both. Less often: what they tell of is there to be seen,
   *  and while there is much to create each of them puts it off. */
  statusEvery: 30,
  /** For so long after a `first` write, lazy statuses and `behind` writes go one at a time. */
  yieldMs: 50,
  /** The same of `last` writes and Events, which yield to `behind` ones too. They wait longer: what
   *  is `behind` begins when the last `first` write is over, and has pauses. */
  lastYieldMs: 250,
  /** From one that yields to the next. */
  yieldDistanceMs: 1_000,
  /** What has yielded for longer than most bursts last comes closer and closer: a stream that does
   *  not end must not keep a pool empty. The distance halves each time this long. */
  yieldPatienceMs: 20_000,
  yieldHalvingMs: 5_000,
  /** For so long at most reconciles give way too: longer than most bursts, and short enough for
   *  what people look at. */
  yieldReconcileMs: 3_000,
  /** So many of them at once, every `yieldMs`. */
  yieldBatch: 64,
  /** UIDs of deleted objects that are remembered, so that a late event cannot bring them back. */
  tombstones: 20_000,
  /** Events for one object that may go out in a burst, and the time that gives one more. */
  eventBurst: 25,
  eventRefillMs: 60_000,
  /** Least time between two updates of the count of one Event. */
  eventRepeatMs: 10_000,
  /** Events whose counts are remembered, and Events in flight. */
  eventsKnown: 4_096,
  eventsInFlight: 4,
  /** Lists in flight that actors asked for, each of other objects; the next ones wait, first come
   *  first. */
  listsInFlight: 8,
  /** Facts that are kept in the process, of all actors together; the oldest goes first. */
  facts: 20_000,
  /** Characters of one text in a fact; a longer one is cut. */
  factText: 4_096,
  /** Changed fields that a fact names, and characters of each. */
  editPaths: 16,
  editPathText: 200,
  /** Facts in an answer to `history` that asks for no number, and bytes of the facts in one. */
  historyFacts: 50,
  recallBytes: 200_000,
  /** Decisions of an actor that are kept for `why`. */
  decisionsKept: 20,
  /** What an actor reads may lead to more that it reads, so often in one reconcile; what is left
   *  comes with the next. */
  viewRounds: 4,
  /** Whoever was to be woken over the bus is woken without it after this time. */
  wakeMs: 5_000,
  /** Questions that behaviours have not answered yet; the next one is answered with THROTTLED. */
  openQuestions: 1_000,
  /** Time for such an answer. */
  answerMs: 10_000,
  /** Time that `stop` waits for writes in flight. */
  stopMs: 5_000,
};

export type Limits = { readonly [Name in keyof typeof defaultLimits]: number };
