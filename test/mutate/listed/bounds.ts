// The lines on which the sentences on bounds, failed writes and timers rest.
import type { ListedMutant } from './mutant.ts';

const scheduler = 'actors/run/scheduler.ts';
const runner = 'actors/effects/runner.ts';
const lists = 'actors/effects/lists.ts';
const completion = 'actors/effects/completion.ts';
const supervisor = 'actors/supervision/supervisor.ts';

export const ofBounds: readonly ListedMutant[] = [
  {
    shows: 'Observations in a mailbox are coalesced by object',
    file: 'actors/mail/mailbox.ts',
    from: 'if (waiting !== undefined && !waiting.gone) {',
    to: 'if (waiting !== undefined) {',
  },
  {
    shows: 'Mail is bounded by its causes',
    file: 'actors/mail/mailbox.ts',
    from: '    this.#news.set(object, news);\n',
    to: '',
  },
  {
    shows: 'The event loop is free after each slice of work',
    file: scheduler,
    from: 'if (steps >= limits.sliceSteps || spent >= limits.sliceMs) break;',
    to: 'if (steps >= limits.sliceSteps) break;',
  },
  {
    shows: 'Writes in flight are bounded per kind and overall',
    file: 'actors/effects/concurrency.ts',
    from: 'return !flow.isPaused && flow.inFlight < Math.floor(flow.limit);',
    to: 'return !flow.isPaused;',
  },
  {
    shows: 'Of lists with one id an actor has at most one in flight',
    file: lists,
    from: '    list.abort.abort();\n  }\n\n  #flush',
    to: '  }\n\n  #flush',
  },
  {
    shows: 'Of lists of the same objects at most one is in flight',
    file: lists,
    from: 'if (this.#flying.has(key) || this.#later.isHeld(key)) continue;',
    to: 'if (this.#later.isHeld(key)) continue;',
  },
  {
    shows: 'All actors together have a bounded number of lists in flight',
    file: lists,
    from: '      if (this.#flying.size >= this.#parts.limits.listsInFlight) return;\n',
    to: '',
  },
  {
    shows: 'A list that nobody waits for any more is aborted',
    file: lists,
    from: '    list.abort.abort();\n  }\n\n  #flush',
    to: '  }\n\n  #flush',
  },
  {
    shows: 'A 429 slows down its whole kind and no other kind',
    file: completion,
    from: "    if (code === 'THROTTLED') limiter.throttle(ref.kind, failure.afterMs);\n",
    to: '',
  },
  {
    shows: 'A write that waits for its turn',
    file: runner,
    from: "if (actor.mode === 'ended' || isOutdated(work))",
    to: "if (actor.mode === 'ended')",
  },
  {
    shows: 'A patch or deletion that waits for its turn',
    file: runner,
    from: 'if (isOvertakenByNews(work, known) || this.#createBackoff.holds(intent)) {',
    to: 'if (this.#createBackoff.holds(intent)) {',
  },
  {
    shows: 'A status goes out with the version that it was computed on',
    file: 'actors/effects/work.ts',
    from: 'return known !== undefined && known.version !== version;',
    to: 'return false;',
  },
  {
    shows: 'An object that disappears as soon as it is created',
    file: 'actors/effects/create-backoff.ts',
    from: 'const waiting = creates > 1 ?',
    to: 'const waiting = creates > 1_000 ?',
  },
  {
    shows: 'The same applies to the pods of one index',
    file: 'actors/effects/create-backoff.ts',
    from: 'place === undefined ? refKey(ref) : `${ref.kind} ${ref.namespace} ${place}`',
    to: 'refKey(ref)',
  },
  {
    shows: 'A pod is not created while the create of another',
    file: 'actors/effects/create-backoff.ts',
    from: "if (intent.type === 'createObject') this.#flying.set(keyOf(intent), new Map());",
    to: '',
  },
  {
    shows: 'Two writers that undo each other',
    file: 'actors/effects/status-throttle.ts',
    from: "return sent >= (rank === 'first' ? firstBurst : updateBurst);",
    to: 'return sent >= firstBurst;',
  },
  {
    shows: 'The facts that the process remembers are bounded',
    file: 'actors/history/ring.ts',
    from: 'if (oldest !== undefined) this.#forget(oldest);',
    to: '',
  },
  {
    shows: 'Events are aggregated and limited per object',
    file: 'actors/effects/events.ts',
    from: '    if (allowance.left <= 0) return false;\n',
    to: '',
  },
  {
    shows: 'A forged message creates no actor',
    file: 'actors/views/wakes.ts',
    from: "if (reader === undefined) return 'unknown';",
    to: 'if (reader === undefined) return undefined;',
  },
];

export const ofFailures: readonly ListedMutant[] = [
  {
    shows: 'Any operation that fails once is made good',
    file: completion,
    from: ': deadlines.after(`write ${writes.key}`, ms, () => this.#resume(writes));',
    to: ': null;',
  },
  {
    shows: 'Pauses double per object, with jitter',
    file: completion,
    from: 'writes.failures++;',
    to: 'writes.failures = 1;',
  },
  {
    shows: 'While the server is unreachable, pauses stay below five seconds',
    file: 'actors/effects/retry-later.ts',
    from: "code === 'UNREACHABLE' ? limits.unreachableMaxMs : limits.retryMaxMs;",
    to: 'limits.retryMaxMs;',
  },
  {
    shows: 'The same goes for a list that an actor asks for',
    file: lists,
    from: "if (request.isWanted && actor.mode === 'alive') touch(actor, request.cause);",
    to: '',
  },
  {
    shows: 'A permanently refused write is retried with a new generation',
    file: 'actors/mail/intake.ts',
    from: '      actor.generation = generation;\n      effects.lift(actor);',
    to: '      actor.generation = generation;',
  },
  {
    shows: 'When an actor ends, the object that it backed off from is free',
    file: supervisor,
    from: '    effects.lift(actor);\n',
    to: '',
  },
  {
    shows: 'A create of an object that already exists never keeps its owner',
    file: 'actors/effects/work.ts',
    from: "(isThere && type === 'createObject') || ",
    to: '',
  },
  {
    shows: 'A refusal that others may lift',
    file: 'actors/effects/verdict.ts',
    from: "if (code === 'FORBIDDEN' || code === 'INVALID') return 'refused';",
    to: "if (code === 'FORBIDDEN' || code === 'INVALID') return 'never';",
  },
  {
    shows: 'A create that finds the object of its own earlier attempt',
    file: 'actors/effects/verdict.ts',
    from: 'return owner !== undefined && owner === controllerOf(live)?.uid;',
    to: 'return owner === undefined;',
  },
  {
    shows: 'Deadlines are absolute and fire once',
    file: 'actors/run/actor-runner.ts',
    from: "      actor.wakesAt = undefined;\n      scheduler.touch(actor, cause, 'news');",
    to: '      actor.wakesAt = undefined;',
  },
  {
    shows: 'A clock jump does not change the length of a pause',
    file: 'actors/run/deadlines.ts',
    from: 'const now = this.#clock.steady();',
    to: 'const now = this.#clock.now();',
  },
  {
    shows: 'A deadline ends when its actor crashes, is parked or ends',
    file: supervisor,
    from: 'deadlines.clear(`${actor.id}\\nrestart`);\n    actor.wakesAt = undefined;',
    to: 'deadlines.clear(`${actor.id}\\nrestart`);',
  },
  {
    shows: 'What was refused lets the status of its object go',
    file: 'actors/effects/work.ts',
    from: ' || type === refused',
    to: '',
  },
];
