// The bus inside one process: a member of a network of such, as several processes share one NATS.
// Used without NATS (`--no-nats`) and by simulations. Messages travel as bytes, so no shared
// reference is hidden, and arrive on the clock, never within the call that sent them.
import type { Answer, Ask, BusPort, BusState, Clock, Envelope, Fact } from '#actors/ports.ts';
import {
  noAnswerIn,
  nobodyOwns,
  nobodyServes,
  notConnected,
  refusal,
  tooManyAsked,
} from '#bus/answers.ts';
import { decodeAnswer, encodeAnswer, encodeEnvelope, encodeFact } from '#bus/codec.ts';
import type { Decoded } from '#bus/decoded.ts';
import { decodeErrorText } from '#bus/decoded.ts';
import type { Log } from '#bus/handlers.ts';
import { HandlerRegistry } from '#bus/handlers.ts';
import { busLimits } from '#bus/limits.ts';
import type { Subject } from '#bus/subjects.ts';
import { formatSubject } from '#bus/subjects.ts';
import { encodeRecord } from '#bus/wire.ts';

/** What connects the members (network.ts). */
interface Network {
  /** Somebody sees what is shown. */
  readonly isObserved: boolean;
  show(subject: string, bytes: Uint8Array): void;
  publish(from: MemoryBus, arrive: (member: MemoryBus) => void): void;
  server(from: MemoryBus): MemoryBus | undefined;
  owner(shard: number): MemoryBus | undefined;
  send(from: MemoryBus, to: MemoryBus, arrive: () => void): void;
  leave(member: MemoryBus): void;
}

/** Made by `MemoryNetwork.join`. */
export class MemoryBus implements BusPort {
  /** For people who debug a simulation. */
  readonly name: string;
  readonly #network: Network;
  readonly #clock: Clock;
  readonly #handlers: HandlerRegistry;
  #owned: ReadonlySet<number> = new Set();
  #open = 0;
  #connected = true;
  #closed = false;
  #published = 0;
  #dropped = 0;

  constructor(network: Network, name: string, clock: Clock, log: Log) {
    this.#network = network;
    this.name = name;
    this.#clock = clock;
    this.#handlers = new HandlerRegistry(log);
  }

  /** False: what is sent is dropped and counted, nothing arrives; as when NATS is away. */
  setConnected(connected: boolean): void {
    this.#connected = connected;
  }

  get isConnected(): boolean {
    return this.#connected && !this.#closed;
  }

  get isServing(): boolean {
    return this.isConnected && this.#handlers.answers;
  }

  fact(fact: Fact): void {
    const subject = formatSubject({ type: 'fact', about: fact.about, what: fact.what });
    if (!this.#canSend(subject)) return;
    // Only observers see facts; without one the encoding is saved.
    if (this.#network.isObserved) this.#show(subject.value, encodeFact(fact));
    else this.#published++;
  }

  copy(envelope: Envelope): void {
    const subject = formatSubject({ type: 'tell', shard: envelope.shard, to: envelope.to });
    if (!this.#canSend(subject)) return;
    if (this.#network.isObserved) this.#show(subject.value, encodeEnvelope(envelope, true));
    else this.#published++;
  }

  tell(envelope: Envelope): boolean {
    const subject = formatSubject({ type: 'tell', shard: envelope.shard, to: envelope.to });
    if (!this.#canSend(subject)) return false;
    const bytes = encodeEnvelope(envelope, false);
    if (!this.#show(subject.value, bytes) || !bytes.ok) return false;
    this.#network.publish(this, (member) => void member.receive(subject.value, bytes.value));
    return true;
  }

  onTell(handler: (envelope: Envelope) => unknown): () => void {
    return this.#handlers.addTell(handler);
  }

  onAsk(handler: (ask: Ask) => Promise<Answer>): () => void {
    return this.#handlers.setAsk(handler);
  }

  ask(ask: Ask, timeoutMs: number): Promise<Answer> {
    const { about, question } = ask;
    const find = (): MemoryBus | undefined => this.#network.server(this);
    const nobody = nobodyServes(ask);
    return this.#request({ type: 'ask', about, question }, ask, { timeoutMs, find, nobody });
  }

  askOwner(shard: number, ask: Ask, timeoutMs: number): Promise<Answer> {
    const { about, question } = ask;
    const find = (): MemoryBus | undefined => this.#network.owner(shard);
    const nobody = nobodyOwns(shard);
    const subject = { type: 'owner', shard, about, question } as const;
    return this.#request(subject, ask, { timeoutMs, find, nobody });
  }

  own(shards: ReadonlySet<number>): void {
    this.#owned = shards;
  }

  owns(shard: number): boolean {
    return this.isServing && this.#owned.has(shard);
  }

  #request(
    to: Subject,
    ask: Ask,
    {
      timeoutMs,
      find,
      nobody,
    }: { timeoutMs: number; find: () => MemoryBus | undefined; nobody: Answer },
  ): Promise<Answer> {
    if (!this.isConnected) return Promise.resolve(notConnected(ask));
    if (this.#open >= busLimits.outstandingAsks) return Promise.resolve(tooManyAsked(ask));
    const subject = formatSubject(to);
    if (!subject.ok) return Promise.resolve(refusal('MALFORMED', decodeErrorText(subject)));
    const payload = encodeRecord(ask.payload);
    if (!payload.ok) return Promise.resolve(refusal('MALFORMED', decodeErrorText(payload)));
    const server = find();
    if (server === undefined) return Promise.resolve(nobody);
    this.#published++;
    return this.#exchange(server, subject.value, payload.value, ask, timeoutMs);
  }

  state(): BusState {
    return {
      connected: this.isConnected,
      dropped: this.#dropped,
      published: this.#published,
      rejected: this.#handlers.rejected,
      roundTripMs: this.isConnected ? 0 : null,
    };
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#handlers.clear();
    this.#network.leave(this);
    return Promise.resolve();
  }

  /** A message or a question arrives; called by the network, on the clock. The answer to a question
   *  is bytes, as it would travel. */
  receive(subject: string, bytes: Uint8Array): Promise<Uint8Array> | undefined {
    return this.#handlers.receive(subject, bytes)?.then(encodeAnswer);
  }

  #canSend(subject: Decoded<string>): subject is { readonly ok: true; readonly value: string } {
    if (subject.ok && this.isConnected) return true;
    this.#dropped++;
    return false;
  }

  #show(subject: string, bytes: Decoded<Uint8Array>): boolean {
    if (!bytes.ok) {
      this.#dropped++;
      return false;
    }
    this.#published++;
    this.#network.show(subject, bytes.value);
    return true;
  }

  #exchange(
    server: MemoryBus,
    subject: string,
    payload: Uint8Array,
    ask: Ask,
    timeoutMs: number,
  ): Promise<Answer> {
    this.#open++;
    return new Promise<Answer>((resolve) => {
      const finish = (answer: Answer): void => {
        if (isOver) return;
        isOver = true;
        cancel();
        this.#open--;
        resolve(answer);
      };
      let isOver = false;
      const cancel = this.#clock.at(this.#clock.now() + timeoutMs, () =>
        finish(noAnswerIn(ask, timeoutMs)),
      );
      this.#network.send(this, server, () => {
        void server.receive(subject, payload)?.then((bytes) => {
          const answer = decodeAnswer(bytes);
          const reply = answer.ok ? answer.value : refusal('MALFORMED', decodeErrorText(answer));
          this.#network.send(server, this, () => finish(reply));
        });
      });
    });
  }
}
