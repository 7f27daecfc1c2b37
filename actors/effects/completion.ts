// What follows a write that has ended: its object is freed, or pauses and is resumed, its actor
// hears of it, and those who wanted to write meanwhile reconcile again. Used by the effect runner
// alone.
import { backoff } from '#machines/contract/backoff.ts';
import type { CommonEvent } from '#machines/contract/events.ts';
import type { Kind } from '#machines/kinds.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';
import type { Limits } from '../limits.ts';
import type { Cause } from '../mail/causality.ts';
import type { Clock, Observation, Random } from '../ports.ts';
import type { Actor } from '../run/actor.ts';
import type { Deadlines } from '../run/deadlines.ts';
import type { ConcurrencyLimiter } from './concurrency.ts';
import type { ObjectWrites, WritesByObject } from './object-writes.ts';
import { retryPauseMs } from './retry-later.ts';
import type { Verdict } from './verdict.ts';
import { operationOf, type Work } from './work.ts';

/** Where results go. None of these may throw. */
export interface EffectSink {
  /** What a reply shows, as an observation: into the cache and the mailboxes, at once. `link`: of
   *  the write that it is the reply to. */
  readonly observe: (observation: Observation, link?: Cause) => void;
  readonly signal: (actor: Actor, event: CommonEvent, cause: Cause, wakesParked: boolean) => void;
  /** Somebody waits for what comes of what was observed and signalled last. */
  readonly hurry: () => void;
}

export type Failure = Pick<
  Extract<Verdict, { type: 'failed' }>,
  'code' | 'message' | 'retry' | 'afterMs'
>;

interface Parts {
  readonly objects: WritesByObject;
  readonly limiter: ConcurrencyLimiter;
  readonly deadlines: Deadlines;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly random: Random;
  readonly sink: EffectSink;
}

export class WriteCompletion {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** `uid`: of what was created, where it is not observed. */
  succeeded(writes: ObjectWrites, work: Work, link: Cause, uid?: string): void {
    writes.failures = 0;
    writes.forbidden = 0;
    writes.refused = undefined;
    writes.lastTry = undefined;
    const { ref, type } = work.intent;
    const { clock, sink } = this.#parts;
    const made = uid === undefined ? {} : { uid };
    const op = operationOf[type];
    const event: CommonEvent = { type: 'effect.done', op, ref, ...made, now: clock.now() };
    sink.signal(work.actor, event, link, false);
    this.free(writes);
  }

  /** Also for a write that was not sent because the lease is not held. */
  failed(writes: ObjectWrites, work: Work, cause: Cause, failure: Failure): void {
    const { limiter, clock, sink } = this.#parts;
    const { code, message } = failure;
    const { ref } = work.intent;
    const now = clock.now();
    if (writes.failures === 0) writes.failingSince = now;
    writes.failures++;
    writes.forbidden = code === 'FORBIDDEN' ? writes.forbidden + 1 : 0;
    writes.refused = isFinal(failure) ? work.intent.type : undefined;
    if (!mayHaveHappened(code)) writes.lastTry = undefined;
    if (code === 'THROTTLED') limiter.throttle(ref.kind, failure.afterMs);
    const isAtOnce = failure.retry === 'now' && writes.failures === 1;
    const retryAt = isAtOnce ? now : this.#pause(writes, work, failure);
    const op = operationOf[work.intent.type];
    const event: CommonEvent = { type: 'effect.failed', op, ref, code, message, now, retryAt };
    sink.signal(work.actor, event, cause, false);
    if (isAtOnce) this.#again(writes, work, cause);
  }

  /** It waited for its turn until it was out of date: its actor, if it lives, says whether it still
   *  wants it. */
  turnedAway(writes: ObjectWrites, { actor, cause }: Work): void {
    writes.waiters.set(actor, cause);
    this.free(writes);
  }

  /** A new generation of the actor's own object lifts what it was refused. Its end lifts all but
   *  what the server asked for: what failed is no longer wanted, and somebody may wait to create
   *  the next object of that name. */
  lift(actor: Actor): void {
    const isOver = actor.mode === 'ended';
    for (const writes of this.#parts.objects.pausedBy(actor)) {
      const { isAsked = false, endsWithGeneration = false } = writes.pause ?? {};
      if (isOver ? !isAsked : endsWithGeneration) this.#resume(writes);
    }
  }

  /** A kind is served that was not: what failed for want of it starts afresh. */
  served(kind: Kind): void {
    for (const writes of this.#parts.objects.missing(kind)) {
      writes.failures = 0;
      this.#resume(writes);
    }
  }

  /**
   * The object may be written again: who was turned away hears of which object, since a machine
   * that plans only what changed has forgotten by now what it wanted there.
   */
  free(writes: ObjectWrites): void {
    const { sink } = this.#parts;
    const event: CommonEvent = { type: 'effect.retry', ref: writes.ref };
    const waiters = [...writes.waiters];
    writes.waiters.clear();
    for (const [actor, cause] of waiters) sink.signal(actor, event, cause, true);
    this.#parts.objects.tidy(writes);
  }

  #pause(writes: ObjectWrites, work: Work, failure: Failure): EpochMs | null {
    const { objects, deadlines, limits, random } = this.#parts;
    const { code, message, retry, afterMs } = failure;
    const pause = retryPauseMs({ limits, random }, failure, writes.failures);
    const ms = retry === 'refused' ? this.#refusedMs(writes, afterMs) : pause;
    const until =
      retry === 'never'
        ? null
        : deadlines.after(`write ${writes.key}`, ms, () => this.#resume(writes));
    const endsWithGeneration = isFinal(failure);
    const isAsked = until !== null && afterMs > 0;
    objects.pause(writes, { work, code, message, until, endsWithGeneration, isAsked });
    return until;
  }

  /** Every refusal takes somebody to lift it, but the 403 of a server that has just started: it
   *  knows no roles yet, so the pauses begin short. A time that the failure names is obeyed. */
  #refusedMs({ forbidden }: ObjectWrites, afterMs: number): number {
    const { refusedRetryMs, forbiddenRetryMs } = this.#parts.limits;
    if (afterMs > 0) return afterMs;
    if (forbidden === 0) return refusedRetryMs;
    return backoff(forbidden, forbiddenRetryMs, refusedRetryMs);
  }

  #resume(writes: ObjectWrites): void {
    const { pause } = writes;
    if (pause === undefined) return;
    this.#parts.deadlines.clear(`write ${writes.key}`);
    this.#parts.objects.resume(writes);
    this.#again(writes, pause.work, pause.work.cause);
  }

  /** The actor may try again; the count of failures is forgotten if nobody does for long. */
  #again(writes: ObjectWrites, work: Work, cause: Cause): void {
    const { deadlines, limits, objects, sink } = this.#parts;
    sink.signal(work.actor, { type: 'effect.retry', ref: work.intent.ref }, cause, true);
    deadlines.after(`forget ${writes.key}`, 2 * limits.retryMaxMs, () => {
      if (writes.pause === undefined && writes.flying === undefined) writes.failures = 0;
      objects.tidy(writes);
    });
    this.#awaitRepeat(writes, work, cause);
    this.free(writes);
  }

  /** Who does not try again wants it no more, or it was done although the answer was an error: the
   *  error is over, and must not be told of for ever. What others write to the object meanwhile
   *  says nothing about that. */
  #awaitRepeat(writes: ObjectWrites, { actor, intent }: Work, cause: Cause): void {
    const { deadlines, limits, sink } = this.#parts;
    deadlines.after(`repeat ${writes.key} ${actor.id}`, limits.repeatMs, () => {
      const { pause, flying, queued, waiters } = writes;
      if ([pause?.work, flying?.work, queued].some((work) => work?.actor === actor)) return;
      if (waiters.has(actor)) return;
      const op = operationOf[intent.type];
      sink.signal(actor, { type: 'effect.done', op, ref: intent.ref }, cause, true);
    });
  }
}

/** Without another spec the answer will be the same, as far as anybody knows. */
const isFinal = ({ retry }: Failure): boolean => retry === 'refused' || retry === 'never';

/** True when the server may have done the write although we were not told so. */
const mayHaveHappened = (code: Failure['code']): boolean =>
  code === 'UNREACHABLE' || code === 'SERVER_ERROR';
