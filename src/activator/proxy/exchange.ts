// One request from its arrival to its end, whatever protocol it came by: it asks for a pod, waits
// if there is none, goes to the pod that it gets, and ends once, however it ends. Its permit is
// given back exactly once, and whoever counts it hears of its end exactly once (spec activator 1.6,
// 1.8, 1.9, H-101). What is written to the client is the business of http1.ts and http2.ts.
import type { Refusal, Ticket, WaitHandler } from '../admission/types.ts';
import { askForPod } from '../served-revision.ts';
import { asError } from './as-error.ts';
import { Limited } from './deadlines.ts';
import type { Ending } from './figures.ts';
import { notFound } from './identify.ts';
import { type LoggedAnswer, loggedOf, type LoggedRequest } from './logged.ts';
import { Timers } from './timers.ts';
import type { Attempt, Flat, Routed } from './types.ts';
import type { UnderWay } from './under-way.ts';

const retryAfter = ['retry-after', '1'];
const none = {};

export abstract class Exchange extends Limited implements WaitHandler, UnderWay {
  readonly routed: Routed;
  readonly begunAt = performance.now();
  earlier: UnderWay | undefined;
  later: UnderWay | undefined;
  /** Of the answer, once it has begun. */
  status = 0;
  sentBytes = 0;
  dest = '';
  #id = '';
  /** For the request log. */
  #podName = '';
  #state: 'new' | 'queued' | 'active' | 'leaving' | 'over' = 'new';
  #index = 0;
  #gen = 0;
  #ticket: Ticket | undefined;
  #attempt: Attempt | undefined;
  #isRetried = false;
  #timers: Timers | undefined;
  #lastWrite = 0;

  constructor(routed: Routed) {
    super();
    this.routed = routed;
  }

  get hasBegunAnswer(): boolean {
    return this.status !== 0;
  }

  /** Sends the request to the pod that it got. */
  protected abstract send(): Attempt;
  protected abstract writeHead(status: number, headers: Flat, message: string | undefined): void;
  /** Of an answer that is whole with its head. */
  protected abstract writeHeadAlone(status: number, headers: Flat): void;
  protected abstract writeInformation(status: number, headers: Flat): void;
  /** Once, when the client has taken what was written. */
  abstract whenDrained(run: () => void): void;
  /** False: no more until `whenDrained`. */
  protected abstract writeData(chunk: Buffer): boolean;
  protected abstract writeEnd(trailers: Flat): void;
  /** An answer of ours. */
  protected abstract writeError(status: number, body: string, headers: Flat): void;
  /** Ends an answer that has begun so that the client sees that it is not whole. */
  protected abstract cut(text: string | undefined): void;
  protected abstract get line(): Omit<LoggedRequest, keyof LoggedAnswer>;

  begin(): void {
    const { shared, rules, figures } = this.routed;
    figures.begun();
    shared.demand.begun(figures.key);
    shared.underWay.add(this);
    shared.deadlines.add(this, rules.maxMs, this.begunAt);
    if (rules.startMs > 0 || rules.idleMs > 0) this.#startTimers();
    this.#enqueue();
  }

  #enqueue(): void {
    const { requests, figures } = this.routed;
    this.#state = 'queued';
    figures.queued += 1;
    this.#ticket = askForPod(requests, this);
  }

  granted(index: number, gen: number): void {
    const { requests, figures } = this.routed;
    const { table } = requests.admission;
    this.#ticket = undefined;
    this.#state = 'active';
    figures.queued -= 1;
    figures.active += 1;
    this.#index = index;
    this.#gen = gen;
    const [dest, id] = [table.destOf(index), table.idOf(index)];
    const isSame = this.#isRetried && dest === this.dest && id === this.#id;
    this.dest = dest;
    this.#id = id;
    const { requestLog, podNameOf } = this.routed.shared;
    // Now: its pod may be gone when it ends.
    if (requestLog !== undefined) this.#podName = podNameOf(id);
    // Nobody says any more than that it is there: it was asked a moment ago.
    if (isSame) return this.fail(502, 'bad gateway');
    try {
      this.#attempt = this.send();
    } catch (error) {
      this.attemptFailed(asError(error), true);
    }
  }

  refused(reason: Refusal): void {
    this.#ticket = undefined;
    if (reason === 'queue-full') return this.fail(503, 'pending request queue full', retryAfter);
    const { name } = this.routed.target;
    this.fail(404, notFound(name));
  }

  /** The client is gone. */
  cancel(): void {
    if (this.#state === 'over') return;
    this.#withdraw();
    this.#finish('cancelled');
  }

  /** The longest time that a request may take is over. */
  expired(): void {
    this.#timeOut('timeoutSeconds');
  }

  /** It is of those that nobody waits for without end: connections that speak another protocol. */
  get isUpgraded(): boolean {
    return false;
  }

  /** Ends one of those. */
  leave(): void {
    this.stop();
  }

  /** The process stops. */
  stop(): void {
    this.fail(503, 'the activator stops');
  }

  /** `isWhole`: nothing follows, which HTTP/2 says with the head. */
  answerBegun(
    status: number,
    headers: Flat,
    { message, isWhole = false }: { readonly message?: string; readonly isWhole?: boolean } = none,
  ): void {
    if (this.#state === 'over') return;
    this.#lastWrite = performance.now();
    if (status < 200 && status !== 101) {
      return this.written(() => this.writeInformation(status, headers));
    }
    this.status = status;
    this.#timers?.begun();
    this.written(() => {
      if (isWhole) this.writeHeadAlone(status, headers);
      else this.writeHead(status, headers, message);
    });
  }

  answerData(chunk: Buffer): boolean {
    this.sentBytes += chunk.length;
    if (this.#timers !== undefined) this.#lastWrite = performance.now();
    return this.writeData(chunk);
  }

  answerEnded(trailers: Flat): void {
    if (this.#state === 'over') return;
    this.#attempt = undefined;
    this.#finish('answered');
    this.written(() => this.writeEnd(trailers));
  }

  /** Node throws for some of what peers send. That costs their request, and nobody else's. */
  protected written(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#notWritten(error);
    }
  }

  #notWritten(error: unknown): void {
    const { shared, target } = this.routed;
    const fields = { ...target, pod: this.dest, error: String(error) };
    shared.log('warn', 'an answer could not be passed on', fields);
    if (this.#state !== 'over') {
      this.#withdraw();
      this.#finish('cut');
    }
    this.cut(undefined);
  }

  /** `wasSent`: the pod may have seen something of it, so nobody else may. */
  attemptFailed(error: Error, wasSent: boolean): void {
    if (this.#state === 'over') return;
    this.#attempt = undefined;
    const { shared, requests, target } = this.routed;
    shared.log('debug', 'a request did not reach its pod or got no whole answer', {
      ...target,
      pod: this.dest,
      error: error.message,
      wasSent,
    });
    if (!wasSent) requests.failed(this.dest, this.#id);
    if (wasSent || this.#isRetried) return this.fail(502, 'bad gateway');
    // Its actor hears of the failure in a later turn, and takes the pod away; then it asks anew.
    this.#isRetried = true;
    this.#release();
    this.#timers ??= new Timers();
    this.#timers.retry = setTimeout(() => this.#enqueue(), shared.limits.retryMs);
  }

  /** It cannot be sent as it is. */
  refuseAsBad(why: string): void {
    this.routed.shared.log('debug', 'a request was refused', { ...this.routed.target, why });
    this.fail(400, 'bad request');
  }

  protected fail(status: number, text: string, headers: Flat = []): void {
    if (this.#state === 'over') return;
    this.#withdraw();
    if (this.hasBegunAnswer) {
      this.#finish('cut');
      return this.cut(status === 504 ? text : undefined);
    }
    this.status = status;
    this.#finish('refused');
    this.writeError(status, text, headers);
  }

  #startTimers(): void {
    const { startMs, idleMs } = this.routed.rules;
    this.#timers = new Timers();
    if (startMs > 0) {
      this.#timers.start = setTimeout(() => this.#timeOut('responseStartTimeoutSeconds'), startMs);
    }
    if (idleMs > 0) this.#watchIdle(this.#timers, idleMs);
  }

  #watchIdle(timers: Timers, ms: number): void {
    timers.idle = setTimeout(() => {
      const { idleMs } = this.routed.rules;
      const idleFor = performance.now() - this.#lastWrite;
      // Before the first byte there was no write, so the limit holds for it too (spec Q6).
      if (this.#lastWrite === 0 || idleFor >= idleMs) this.#timeOut('idleTimeoutSeconds');
      else this.#watchIdle(timers, Math.ceil(idleMs - idleFor));
    }, ms);
  }

  #timeOut(limit: string): void {
    if (this.#state === 'over') return;
    const { shared, target } = this.routed;
    const { hasBegunAnswer, dest } = this;
    shared.log('info', 'a request took too long', { ...target, limit, hasBegunAnswer, pod: dest });
    this.fail(504, 'activator request timeout');
  }

  /** Out of the queue, or away from its pod, which has a permit less when it knows. */
  #withdraw(): void {
    if (this.#ticket !== undefined) this.routed.requests.admission.cancel(this.#ticket);
    this.#ticket = undefined;
    const attempt = this.#attempt;
    if (attempt === undefined) return;
    this.#attempt = undefined;
    this.#state = 'leaving';
    attempt.cancel(() => this.#giveBack());
  }

  #release(): void {
    if (this.#state === 'queued') this.routed.figures.queued -= 1;
    if (this.#state === 'active') this.#giveBack();
    this.#state = 'new';
  }

  #giveBack(): void {
    const { requests, figures } = this.routed;
    figures.active -= 1;
    requests.admission.complete(this.#index, this.#gen);
  }

  #finish(ending: Ending): void {
    const { shared, figures } = this.routed;
    this.#release();
    this.#state = 'over';
    this.list?.remove(this);
    this.#timers?.stop();
    shared.underWay.remove(this);
    const ms = performance.now() - this.begunAt;
    figures.ended(ending, this.status, ms);
    shared.demand.ended(figures.key);
    shared.requestLog?.(this.#logged(ms));
  }

  #logged(latencyMs: number): LoggedRequest {
    const { status: code, sentBytes: size, dest: podIp } = this;
    const answer = { code, size, latencyMs, podIp, podName: this.#podName };
    return loggedOf(this.line, answer, this.routed);
  }
}
