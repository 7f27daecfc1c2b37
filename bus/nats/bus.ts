// The bus over NATS. NATS absent, slow, restarted, wiped or silently cut off: nothing here throws,
// blocks or grows without bound, and everything is there again when NATS is. Made by the
// composition root with `new NatsBus(natsOptions({...}), { clock, random, ids, log })`.
import type { Msg, MsgHdrs, NatsConnection, Subscription } from '@nats-io/transport-node';
import { NoRespondersError, TimeoutError } from '@nats-io/transport-node';
import type { Answer, Ask, BusPort, BusState, Envelope, Fact, Ids } from '#actors/ports.ts';
import type { Question } from '#machines/contract/question.ts';
import {
  noAnswerIn,
  nobodyOwns,
  nobodyServes,
  notConnected,
  refusal,
  tooManyAsked,
} from '../answers.ts';
import { decodeAnswer, encodeEnvelope, encodeFact } from '../codec.ts';
import { decoded, decodeErrorText, type Decoded } from '../decoded.ts';
import { HandlerRegistry } from '../handlers.ts';
import { busLimits } from '../limits.ts';
import { formatSubject, subjectsOf, type Subject } from '../subjects.ts';
import { encodeRecord } from '../wire.ts';
import { Batch, type OutboundMessage } from './batch.ts';
import { History } from './history.ts';
import { Link, type LinkPorts } from './link.ts';
import type { NatsOptions } from './options.ts';
import { Outbox } from './outbox.ts';
import { Owned } from './owned.ts';
import { Service } from './service.ts';
import { traceHeaders } from './traceparent.ts';

export interface NatsBusState extends BusState {
  /** Of `dropped`: facts overtaken by a later one of the same subject while they waited. */
  readonly coalesced: number;
  /** Facts that wait for the connection. */
  readonly waiting: number;
  /** How often a live connection was lost. */
  readonly losses: number;
  /** True while the stream of facts is there. */
  readonly history: boolean;
  /** Why there is, or last was, no connection or no stream. */
  readonly problem: string | null;
}

export interface NatsBusPorts extends LinkPorts {
  /** One of them names this process in `nats micro ls`. */
  readonly ids: Ids;
  /** What else `nats micro info` says of it. */
  readonly about?: { readonly version: string; readonly pod: string };
}

/** How long `close` waits for the last messages to be sent, and for the connection to end. */
const closeGraceMs = 1_000;

export class NatsBus implements BusPort {
  readonly #ports: NatsBusPorts;
  readonly #options: NatsOptions;
  readonly #handlers: HandlerRegistry;
  readonly #link: Link;
  readonly #history: History | null;
  readonly #outbox = new Outbox();
  readonly #batch: Batch;
  readonly #service: Service;
  readonly #owned: Owned;
  #tells: Subscription | null = null;
  #published = 0;
  #dropped = 0;
  #open = 0;
  #shards: ReadonlySet<number> = new Set();
  #closed = false;

  /** Starts to connect at once and returns at once. */
  constructor(options: NatsOptions, ports: NatsBusPorts) {
    this.#ports = ports;
    this.#options = options;
    this.#handlers = new HandlerRegistry(ports.log);
    this.#service = new Service({
      handlers: this.#handlers,
      clock: ports.clock,
      metadata: () => ({ ...ports.about, shards: [...this.#shards].toSorted(byNumber).join(',') }),
      id: ports.ids.next(),
    });
    this.#owned = new Owned(this.#handlers);
    this.#batch = new Batch(ports.clock, (message) => this.#leave(message));
    this.#history =
      options.history === null ? null : new History(options.history, ports.clock, ports.log);
    this.#link = new Link(options, ports, {
      up: (connection) => this.#up(connection),
      down: () => this.#down(),
      room: () => this.#drain(),
    });
  }

  fact(fact: Fact): void {
    const subject = formatSubject({ type: 'fact', about: fact.about, what: fact.what });
    const payload = subject.ok ? encodeFact(fact) : subject;
    if (this.#closed || !subject.ok || !payload.ok) this.#dropped++;
    else {
      const headers = this.#options.traceparent ? { headers: traceHeaders(fact) } : {};
      this.#hand({ subject: subject.value, payload: payload.value, isFact: true, ...headers });
    }
  }

  copy(envelope: Envelope): void {
    const message = this.#closed ? null : posted(envelope, true);
    if (message?.ok !== true) this.#dropped++;
    else this.#hand({ ...message.value, isFact: false });
  }

  /** True: handed to a connection that was live as far as one can know; no promise of delivery. */
  tell(envelope: Envelope): boolean {
    if (this.#closed || !this.#link.hasRoom) return false;
    const message = posted(envelope, false);
    this.#batch.flush();
    return message.ok && this.#send(message.value.subject, message.value.payload);
  }

  onTell(handler: (envelope: Envelope) => unknown): () => void {
    const remove = this.#handlers.addTell(handler);
    this.#subscribe(this.#link.connection);
    return () => {
      remove();
      if (this.#handlers.hearsTells) return;
      this.#tells?.unsubscribe();
      this.#tells = null;
    };
  }

  onAsk(handler: (ask: Ask) => Promise<Answer>, questions = new Map<string, Question>()) {
    this.#service.serve(questions);
    const remove = this.#handlers.setAsk(handler);
    this.#serve(this.#link.connection);
    return () => {
      remove();
      if (!this.#handlers.answers) this.#service.stop();
    };
  }

  ask(ask: Ask, timeoutMs: number): Promise<Answer> {
    const { about, question } = ask;
    return this.#request({ type: 'ask', about, question }, ask, timeoutMs, nobodyServes(ask));
  }

  askOwner(shard: number, ask: Ask, timeoutMs: number): Promise<Answer> {
    const { about, question } = ask;
    const subject = { type: 'owner', shard, about, question } as const;
    return this.#request(subject, ask, timeoutMs, nobodyOwns(shard));
  }

  readonly past: NonNullable<BusPort['past']> = async (about, wanted) =>
    this.#history?.past(about, wanted, `coppice-${this.#ports.ids.next()}`);

  own(shards: ReadonlySet<number>): void {
    this.#shards = shards;
    this.#guard(() => this.#owned.set(shards, this.#link.connection));
  }

  async #request(to: Subject, ask: Ask, timeoutMs: number, nobody: Answer): Promise<Answer> {
    const connection = this.#link.connection;
    if (this.#closed || connection === null || !this.#link.hasRoom) return notConnected(ask);
    if (this.#open >= busLimits.outstandingAsks) return tooManyAsked(ask);
    const subject = formatSubject(to);
    if (!subject.ok) return refusal('MALFORMED', decodeErrorText(subject));
    const payload = encodeRecord(ask.payload);
    if (!payload.ok) return refusal('MALFORMED', decodeErrorText(payload));
    this.#open++;
    this.#published++;
    try {
      const timeout = Math.max(1, timeoutMs);
      return read(await connection.request(subject.value, payload.value, { timeout }));
    } catch (error) {
      if (isCausedBy(error, NoRespondersError)) return nobody;
      if (isCausedBy(error, TimeoutError)) return noAnswerIn(ask, timeoutMs);
      return refusal('UNREACHABLE', error instanceof Error ? error.message : String(error));
    } finally {
      this.#open--;
    }
  }

  state(): NatsBusState {
    const isUp = this.#link.connection !== null;
    return {
      connected: isUp,
      dropped: this.#dropped + this.#outbox.coalesced + this.#outbox.evicted,
      published: this.#published,
      roundTripMs: this.#link.roundTripMs,
      coalesced: this.#outbox.coalesced,
      waiting: this.#outbox.size,
      rejected: this.#handlers.rejected,
      losses: this.#link.losses,
      history: this.#history?.isReady ?? false,
      problem: this.#link.problem ?? this.#history?.problem ?? null,
    };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#batch.flush();
    this.#drain();
    this.#closed = true;
    this.#history?.stop();
    this.#handlers.clear();
    await this.#link.close(closeGraceMs);
  }

  /** Without room it goes to the outbox at once, after what was added before it. */
  #hand(message: OutboundMessage): void {
    this.#batch.add(message);
    if (!this.#link.hasRoom) this.#batch.flush();
  }

  /** While there is room nothing waits in the outbox (`#drain`), so nobody is overtaken. */
  #leave({ subject, payload, isFact, headers }: OutboundMessage): void {
    if (isFact && !this.#link.hasRoom) this.#outbox.put(subject, payload, headers);
    else if (!this.#send(subject, payload, headers)) this.#dropped++;
  }

  #send(subject: string, payload: Uint8Array, headers?: MsgHdrs): boolean {
    const sent = this.#link.publish(subject, payload, headers);
    if (sent) this.#published++;
    return sent;
  }

  /** Sends what waits while there is room for it. */
  #drain(): void {
    while (this.#link.hasRoom) {
      const next = this.#outbox.shift();
      if (next === undefined) return;
      if (!this.#send(...next)) this.#dropped++;
    }
  }

  #up(connection: NatsConnection): void {
    this.#subscribe(connection);
    this.#serve(connection);
    this.#guard(() => this.#owned.start(connection));
    this.#history?.start(connection);
    this.#drain();
  }

  /** The next connection knows nothing of the subscriptions of this one. */
  #down(): void {
    this.#batch.flush();
    this.#tells = null;
    this.#service.stop();
    this.#owned.stop();
    this.#history?.stop();
  }

  #subscribe(connection: NatsConnection | null): void {
    if (connection === null || this.#tells !== null || !this.#handlers.hearsTells) return;
    this.#guard(() => {
      this.#tells = connection.subscribe(subjectsOf.tell, {
        callback: (error, message) => {
          if (error === null) void this.#handlers.receive(message.subject, message.data);
        },
      });
    });
  }

  #serve(connection: NatsConnection | null): void {
    if (connection === null || this.#service.isRunning || !this.#handlers.answers) return;
    this.#guard(() => this.#service.start(connection));
  }

  /** The library throws where a connection has just closed; the next one subscribes anew. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#ports.log('debug', 'the connection closed meanwhile', { error: String(error) });
    }
  }
}

function posted(envelope: Envelope, copy: boolean): Decoded<Omit<OutboundMessage, 'isFact'>> {
  const subject = formatSubject({ type: 'tell', shard: envelope.shard, to: envelope.to });
  const payload: Decoded<Uint8Array> = subject.ok ? encodeEnvelope(envelope, copy) : subject;
  if (!subject.ok) return subject;
  return payload.ok ? decoded({ subject: subject.value, payload: payload.value }) : payload;
}

function read(message: Msg): Answer {
  const answer = decodeAnswer(message.data);
  return answer.ok ? answer.value : refusal('MALFORMED', `the answer: ${decodeErrorText(answer)}`);
}

const byNumber = (a: number, b: number): number => a - b;

const isCausedBy = (error: unknown, kind: new (...rest: never[]) => Error): boolean =>
  error instanceof kind || (error instanceof Error && error.cause instanceof kind);
