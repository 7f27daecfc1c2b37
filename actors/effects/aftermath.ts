// What follows a write that has landed: the lane is freed, or pauses and is resumed, its actor
// hears of it, and those who wanted to write meanwhile settle again. Used by the effect runner
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
import { pauseMs } from '../supervision/strategy.ts';
import type { Flows } from './flows.ts';
import type { Lane, Lanes } from './lane.ts';
import type { Verdict } from './verdict.ts';
import { operationOf } from './work.ts';
import type { Work } from './work.ts';

/** Where results go. None of these may throw. */
export interface EffectSink {
  /** The reply of a write as an observation: into the cache and the mailboxes, at once. */
  readonly observe: (observation: Observation, link: Cause) => void;
  readonly signal: (actor: Actor, event: CommonEvent, cause: Cause, wakesParked: boolean) => void;
}

export type Failure = Pick<
  Extract<Verdict, { type: 'failed' }>,
  'code' | 'message' | 'retry' | 'afterMs'
>;

interface Parts {
  readonly lanes: Lanes;
  readonly flows: Flows;
  readonly deadlines: Deadlines;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly random: Random;
  readonly sink: EffectSink;
}

export class Aftermath {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** `uid`: of what was created, where it is not observed. */
  succeeded(lane: Lane, work: Work, link: Cause, uid?: string): void {
    lane.failures = 0;
    lane.forbidden = 0;
    lane.lastTry = undefined;
    const { intent, actor } = work;
    const op = operationOf[intent.type];
    const { ref } = intent;
    const event: CommonEvent = {
      type: 'effect.done',
      op,
      ref,
      ...(uid === undefined ? {} : { uid }),
    };
    this.#parts.sink.signal(actor, event, link, false);
    this.free(lane);
  }

  /** Also for a write that was not sent because the lease is not held. */
  failed(lane: Lane, work: Work, cause: Cause, failure: Failure): void {
    const { flows, clock, sink } = this.#parts;
    const { code, message } = failure;
    const { ref } = work.intent;
    lane.failures++;
    lane.forbidden = code === 'FORBIDDEN' ? lane.forbidden + 1 : 0;
    if (!mayHaveHappened(code)) lane.lastTry = undefined;
    if (code === 'THROTTLED') flows.throttle(ref.kind, failure.afterMs);
    const now = clock.now();
    const isAtOnce = failure.retry === 'now' && lane.failures === 1;
    const retryAt = isAtOnce ? now : this.#pause(lane, work, failure);
    const op = operationOf[work.intent.type];
    const event: CommonEvent = { type: 'effect.failed', op, ref, code, message, now, retryAt };
    sink.signal(work.actor, event, cause, false);
    if (isAtOnce) this.#again(lane, work, cause);
  }

  /** It waited for its turn until it was out of date: its actor, if it lives, says whether it still
   *  wants it. */
  turnedAway(lane: Lane, { actor, cause }: Work): void {
    lane.waiters.set(actor, cause);
    this.free(lane);
  }

  /** A new generation of the actor's own object lifts what it was refused. Its end lifts all but
   *  what the server asked for: what failed is no longer wanted, and somebody may wait to create
   *  the next object of that name. */
  lift(actor: Actor): void {
    const isOver = actor.mode === 'ended';
    for (const lane of this.#parts.lanes.pausedBy(actor)) {
      const { isAsked = false, endsWithGeneration = false } = lane.pause ?? {};
      if (isOver ? !isAsked : endsWithGeneration) this.#resume(lane);
    }
  }

  /** A kind is served that was not: what failed for want of it starts afresh. */
  served(kind: Kind): void {
    for (const lane of this.#parts.lanes.missing(kind)) {
      lane.failures = 0;
      this.#resume(lane);
    }
  }

  /**
   * The lane may be used again: who was turned away hears of which object, since a machine that
   * plans only what changed has forgotten by now what it wanted there.
   */
  free(lane: Lane): void {
    const { sink } = this.#parts;
    const event: CommonEvent = { type: 'effect.retry', ref: lane.ref };
    const waiters = [...lane.waiters];
    lane.waiters.clear();
    for (const [actor, cause] of waiters) sink.signal(actor, event, cause, true);
    this.#parts.lanes.tidy(lane);
  }

  #pause(lane: Lane, work: Work, failure: Failure): EpochMs | null {
    const { lanes, deadlines, limits, random } = this.#parts;
    const { code, message, retry, afterMs } = failure;
    const maxMs = code === 'UNREACHABLE' ? limits.unreachableMaxMs : limits.retryMaxMs;
    const growing = { minMs: limits.retryMinMs, maxMs, jitter: 0.5 };
    const pause = Math.max(pauseMs(growing, lane.failures, random), afterMs);
    const ms = retry === 'refused' ? this.#refusedMs(lane, afterMs) : pause;
    const until =
      retry === 'never' ? null : deadlines.after(`lane ${lane.key}`, ms, () => this.#resume(lane));
    const endsWithGeneration = retry === 'refused' || retry === 'never';
    const isAsked = until !== null && afterMs > 0;
    lanes.pause(lane, { work, code, message, until, endsWithGeneration, isAsked });
    return until;
  }

  /** Every refusal takes somebody to lift it, but the 403 of a server that has just started: it
   *  knows no roles yet, so the pauses begin short. A time that the failure names is obeyed. */
  #refusedMs({ forbidden }: Lane, afterMs: number): number {
    const { refusedRetryMs, forbiddenRetryMs } = this.#parts.limits;
    if (afterMs > 0) return afterMs;
    if (forbidden === 0) return refusedRetryMs;
    return backoff(forbidden, forbiddenRetryMs, refusedRetryMs);
  }

  #resume(lane: Lane): void {
    const { pause } = lane;
    if (pause === undefined) return;
    this.#parts.deadlines.clear(`lane ${lane.key}`);
    this.#parts.lanes.resume(lane);
    this.#again(lane, pause.work, pause.work.cause);
  }

  /** The actor may try again; the count of failures is forgotten if nobody does for long. */
  #again(lane: Lane, work: Work, cause: Cause): void {
    const { deadlines, limits, lanes, sink } = this.#parts;
    sink.signal(work.actor, { type: 'effect.retry', ref: work.intent.ref }, cause, true);
    deadlines.after(`forget ${lane.key}`, 2 * limits.retryMaxMs, () => {
      if (lane.pause === undefined && lane.flying === undefined) lane.failures = 0;
      lanes.tidy(lane);
    });
    this.#awaitRepeat(lane, work, cause);
    this.free(lane);
  }

  /** Who does not try again wants it no more, or it was done although the answer was an error: the
   *  error is over, and must not be told of for ever. */
  #awaitRepeat(lane: Lane, { actor, intent }: Work, cause: Cause): void {
    const { deadlines, limits, sink } = this.#parts;
    deadlines.after(`repeat ${lane.key}`, limits.repeatMs, () => {
      if (lane.pause !== undefined || lane.flying !== undefined) return;
      if (lane.queued !== undefined || lane.heldSince !== undefined) return;
      const op = operationOf[intent.type];
      sink.signal(actor, { type: 'effect.done', op, ref: intent.ref }, cause, true);
    });
  }
}

/** True when the server may have done the write although we were not told so. */
const mayHaveHappened = (code: Failure['code']): boolean =>
  code === 'UNREACHABLE' || code === 'SERVER_ERROR';
