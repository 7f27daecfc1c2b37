// Ticks. A tick takes in what was observed, delivers all mail cheaply, and then reconciles every
// actor that was touched, once. It works in slices, so that the event loop is free in between; what
// comes in meanwhile belongs to the next tick. Actors touched by news reconcile before those that
// only retry. Under load ticks keep a distance: each takes in more then, and there are fewer plans.
import type { Limits } from '../limits.ts';
import { type Cause, kept, prevailing } from '../mail/causality.ts';
import type { Clock } from '../ports.ts';
import type { Actor } from './actor.ts';
import { TickThrottle } from './tick-throttle.ts';
import { Yielding } from './yielding.ts';

/** What a tick does. None of these should throw; one that does is a bug of the runtime. */
export interface Work {
  /** Takes in one observation that waits; false when none does. */
  readonly intake: () => boolean;
  /** Observations wait that no tick has taken in yet. */
  readonly hasNews: () => boolean;
  /** Delivers up to a batch of the actor's mail; true when more is left. */
  readonly deliver: (actor: Actor) => boolean;
  /** Before actors reconcile: touches some of those that read what has changed; true when more are
   *  left. */
  readonly wake: () => boolean;
  /** There may be such changes since `wake` was called last. */
  readonly hasChanges: () => boolean;
  readonly reconcile: (actor: Actor, cause: Cause) => void;
  /** Objects wait for writes that are in flight. */
  readonly isPressed: () => boolean;
  /** After each slice: sends what was asked for. */
  readonly flush: () => void;
  /** A step threw; with the actor whose turn it was, if it was one's. */
  readonly broken: (error: unknown, actor: Actor | undefined) => void;
}

interface Parts {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly work: Work;
}

type Phase = 'rest' | 'intake' | 'mail' | 'reconcile';
/** `news` reconciles before `retry`: a change that somebody waits for before what we repeat. */
export type Urgency = 'news' | 'retry';

export class Scheduler {
  readonly #parts: Parts;
  readonly #throttle: TickThrottle;
  #phase: Phase = 'rest';
  /** A slice is due, or under way: at its end it is found out whether there is more to do. */
  #isAwake = false;
  /** What came in since a tick waits for its time; 0: none does. */
  #waitedFor = 0;
  /** Of the timer of that tick. */
  #cancel: (() => void) | undefined;
  /** When the newest tick began. */
  #began = Number.NEGATIVE_INFINITY;
  #isOpen = false;
  #isOpening = false;
  #isStopped = false;
  #mail: Actor[] = [];
  #touched: Record<Urgency, Actor[]> = { news: [], retry: [] };
  readonly #yielding: Yielding;
  #turn: Actor[] = [];
  #at = 0;
  readonly #waiting = new Map<string, number>();
  ticks = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#throttle = new TickThrottle(parts.clock, parts.limits);
    const { work } = parts;
    this.#yielding = new Yielding({
      ...parts,
      isPressed: work.isPressed,
      resumed: (actors) => {
        this.#touched.news.push(...actors);
        this.wake();
      },
    });
  }

  /** Nothing is under way and nothing waits (what waits for `open` does not count). */
  get isIdle(): boolean {
    return this.#isStopped || (this.#phase === 'rest' && !this.#isAwake && this.#yielding.isEmpty);
  }

  /** Actors of a controller that have mail and wait for their turn. */
  waiting(controller: string): number {
    return this.#waiting.get(controller) ?? 0;
  }

  /**
   * From the next tick on actors reconcile. Before, mail is delivered but nothing is planned. Not
   * in the tick that may be under way: it has taken in what there was when it began, and what came
   * since (the last page of a list) would be planned without.
   */
  open(): void {
    this.#isOpening = true;
    this.wake();
  }

  stop(): void {
    this.#isStopped = true;
    this.#yielding.stop();
  }

  /** Something waits for the next tick. */
  wake(): void {
    if (this.#isStopped) return;
    if (this.#waitedFor > 0) this.#waitedFor++;
    if (this.#isAwake) return;
    this.#isAwake = true;
    const waitMs = this.#phase === 'rest' ? this.#throttle.take() : 0;
    if (waitMs > 0) this.#waitedFor = 1;
    this.#wait(waitMs);
  }

  /** Somebody waits for what comes of it: a tick that keeps its distance does so no longer. */
  hurry(): void {
    if (this.#cancel === undefined || this.#waitedFor === 0) return;
    this.#cancel();
    // It says nothing of the load any more.
    this.#waitedFor = 0;
    const { clock, limits } = this.#parts;
    this.#wait(this.#began + limits.tickUrgentMs - clock.steady());
  }

  /** Without a timer where there is nothing to wait for: that takes a millisecond at least. */
  #wait(ms: number): void {
    const { clock } = this.#parts;
    const slice = (): void => this.#slice();
    if (ms > 0) this.#cancel = clock.at(clock.now() + ms, slice);
    else clock.soon(slice);
  }

  mail(actor: Actor): void {
    if (!actor.isScheduled) {
      actor.isScheduled = true;
      actor.mailbox.since = this.#parts.clock.steady();
      this.#mail.push(actor);
      this.#count(actor, 1);
    }
    this.wake();
  }

  /** The actor is to reconcile at the end of the tick, by the cause that prevails. `mayYield`:
   *  nobody waits for what comes of it; asked only where that makes a difference. */
  touch(actor: Actor, cause: Cause, urgency: Urgency, mayYield?: () => boolean): void {
    const isFirst = actor.touched === undefined;
    const isYielding = actor.yieldsSince !== undefined;
    actor.touched = prevailing(actor.touched, cause);
    const mayWait = isYielding || (isFirst && this.#parts.work.isPressed());
    if (mayWait && mayYield?.() === true) {
      if (isFirst) this.#yielding.add(actor);
      return;
    }
    if (isFirst || isYielding) this.#touched[urgency].push(actor);
    actor.yieldsSince = undefined;
    this.wake();
  }

  #slice(): void {
    this.#cancel = undefined;
    if (this.#isStopped) return;
    const { clock, limits, work } = this.#parts;
    const start = clock.steady();
    if (this.#phase === 'rest') this.#begin(start);
    for (let steps = 0; this.#phase !== 'rest'; steps++) {
      const spent = clock.steady() - start;
      if (steps >= limits.sliceSteps || spent >= limits.sliceMs) break;
      this.#guard(() => this.#step());
    }
    this.#guard(work.flush);
    this.#isAwake = false;
    const isTouched = this.#hasTouched() || work.hasChanges();
    const mayPlan = this.#isOpening && (isTouched || !this.#isOpen);
    // What was observed or published in a slice, or between two, woke nobody.
    const hasMore = this.#mail.length > 0 || mayPlan || work.hasNews();
    if (this.#phase !== 'rest' || hasMore) this.wake();
  }

  /** Whatever is wrong with one step, the next one is done. */
  #guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      const actor = this.#phase === 'intake' ? undefined : this.#turn[this.#at - 1];
      this.#parts.work.broken(error, actor);
    }
  }

  #count(actor: Actor, by: number): void {
    const { controller } = actor.behaviour;
    this.#waiting.set(controller, this.waiting(controller) + by);
  }

  #begin(now: number): void {
    this.#began = now;
    if (this.#waitedFor > 0) this.#throttle.waited(this.#waitedFor);
    this.#waitedFor = 0;
    this.ticks++;
    this.#isOpen = this.#isOpening;
    this.#phase = 'intake';
  }

  #step(): void {
    if (this.#phase === 'intake') {
      if (this.#parts.work.intake()) return;
      this.#phase = 'mail';
      this.#turn = this.#mail;
      this.#mail = [];
      this.#at = 0;
      return;
    }
    const actor = this.#turn[this.#at++];
    if (this.#phase === 'mail') {
      if (actor === undefined) this.#beginReconcile();
      else this.#deliver(actor);
      return;
    }
    if (actor === undefined) {
      this.#phase = 'rest';
      this.#turn = [];
      return;
    }
    // Replies land between slices: what they brought comes first, or the plan would be older than
    // the actor's own last write.
    if (actor.isScheduled && this.#parts.work.deliver(actor)) {
      this.#turn.push(actor);
      return;
    }
    const cause = actor.touched;
    actor.touched = undefined;
    if (cause !== undefined) this.#parts.work.reconcile(actor, kept(cause));
  }

  #deliver(actor: Actor): void {
    actor.isScheduled = false;
    this.#count(actor, -1);
    if (!this.#parts.work.deliver(actor) || actor.isScheduled) return;
    actor.isScheduled = true;
    this.#count(actor, 1);
    this.#turn.push(actor);
  }

  #beginReconcile(): void {
    if (!this.#isOpen) {
      this.#phase = 'rest';
      this.#turn = [];
      return;
    }
    if (this.#parts.work.wake()) return;
    this.#phase = 'reconcile';
    this.#turn = [...this.#touched.news, ...this.#touched.retry];
    this.#touched = { news: [], retry: [] };
    this.#at = 0;
  }

  #hasTouched(): boolean {
    return this.#touched.news.length + this.#touched.retry.length > 0;
  }
}
