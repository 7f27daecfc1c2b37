// The two kinds of handler that a process registers with its bus, and everything that may go wrong
// around them: forged messages, handlers that throw, too many questions at once. Both
// implementations of the port hand over here what arrives, so both guard alike.
import type { Answer, Ask, Envelope, Telemetry } from '#actors/ports.ts';
import { actorId } from '#machines/contract/address.ts';
import { isOfBehaviour } from '#machines/contract/question.ts';
import { handlerFailed, nobodyServes, refusal, tooManyServed } from './answers.ts';
import { decodeEnvelope, decodePayload, isPlainlyCopy } from './codec.ts';
import { decoded, decodeErrorText, notDecoded, type Decoded } from './decoded.ts';
import { busLimits } from './limits.ts';
import { isTell, parseSubject, type Subject } from './subjects.ts';

export type Log = Telemetry['log'];
type OnTell = (envelope: Envelope) => unknown;
type OnAsk = (ask: Ask) => Promise<Answer>;

export class HandlerRegistry {
  readonly #log: Log;
  readonly #tells = new Set<OnTell>();
  #answerer: OnAsk | null = null;
  #serving = 0;
  /** Messages refused: not of the grammar, not of the codec, content that belies the subject, or
   *  not believed by a handler. */
  rejected = 0;
  /** Handlers that threw. */
  failed = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  get hearsTells(): boolean {
    return this.#tells.size > 0;
  }

  get answers(): boolean {
    return this.#answerer !== null;
  }

  addTell(handler: OnTell): () => void {
    // A wrapper, so that a handler registered twice is there twice.
    const own: OnTell = (envelope) => handler(envelope);
    this.#tells.add(own);
    return () => {
      this.#tells.delete(own);
    };
  }

  /** The latest one answers. */
  setAsk(handler: OnAsk): () => void {
    this.#answerer = handler;
    return () => {
      if (this.#answerer === handler) this.#answerer = null;
    };
  }

  clear(): void {
    this.#tells.clear();
    this.#answerer = null;
  }

  /** A message or a question, on a subject of ours. A question is always answered, and what cannot
   *  be told to be none. Never throws, never rejects. */
  receive(subject: string, bytes: Uint8Array): Promise<Answer> | undefined {
    const inbound = readInbound(subject, bytes);
    if (!inbound.ok) {
      this.#reject(subject, decodeErrorText(inbound));
      return Promise.resolve(refusal('MALFORMED', decodeErrorText(inbound)));
    }
    if (inbound.value.type === 'question') return this.#answer(subject, inbound.value.ask);
    if (inbound.value.type === 'message') this.#hear(subject, inbound.value.envelope);
    return undefined;
  }

  #hear(subject: string, envelope: Envelope): void {
    for (const handler of this.#tells) {
      try {
        const isBelieved = handler(envelope) !== false;
        if (!isBelieved) this.#reject(subject, 'the handler does not believe it');
      } catch (error) {
        this.failed++;
        this.#log('error', 'a handler of messages threw', { subject, error: String(error) });
      }
    }
  }

  async #answer(subject: string, ask: Ask): Promise<Answer> {
    if (this.#answerer === null) return nobodyServes(ask);
    // Those of behaviours may take long: half of the room is for the others.
    const { concurrentAsks } = busLimits;
    const room = isOfBehaviour(ask.question) ? concurrentAsks / 2 : concurrentAsks;
    if (this.#serving >= room) return tooManyServed();
    this.#serving++;
    try {
      return await this.#answerer(ask);
    } catch (error) {
      this.failed++;
      this.#log('error', 'a handler of questions threw', { subject, error: String(error) });
      return handlerFailed(error);
    } finally {
      this.#serving--;
    }
  }

  /** At debug level: whoever floods the bus with rubbish shall not flood the log as well. */
  #reject(subject: string, problem: string): void {
    this.rejected++;
    this.#log('debug', 'refused a message', { subject: subject.slice(0, 256), problem });
  }
}

export type Inbound =
  | { readonly type: 'message'; readonly envelope: Envelope }
  /** A copy of a message: it is for people, not to be acted upon. */
  | { readonly type: 'copy' }
  | { readonly type: 'question'; readonly ask: Ask };

const copy: Decoded<Inbound> = decoded({ type: 'copy' });

/** Subject and content judged together. What says one thing on its subject and another in its
 *  content is forged or broken and goes no further. */
export function readInbound(subject: string, bytes: Uint8Array): Decoded<Inbound> {
  // Every process gets all copies: most are not even parsed.
  if (isTell(subject) && isPlainlyCopy(bytes)) return copy;
  const parsed = parseSubject(subject);
  if (!parsed.ok) return parsed;
  switch (parsed.value.type) {
    case 'tell':
      return readMessage(parsed.value, bytes);
    case 'ask':
    case 'owner':
      return readQuestion(parsed.value, bytes);
    default:
      return notDecoded('subject', 'is for facts, which nobody here takes in');
  }
}

function readMessage(
  { shard, to }: Extract<Subject, { type: 'tell' }>,
  bytes: Uint8Array,
): Decoded<Inbound> {
  const posted = decodeEnvelope(bytes);
  if (!posted.ok) return posted;
  const { envelope } = posted.value;
  if (posted.value.copy) return copy;
  if (envelope.shard !== shard) {
    return notDecoded('shard', `is ${envelope.shard}, the subject says ${shard}`);
  }
  if (actorId(envelope.to) !== actorId(to)) {
    return notDecoded('to', `is ${actorId(envelope.to)}, the subject says ${actorId(to)}`);
  }
  return decoded({ type: 'message', envelope });
}

function readQuestion(
  { about, question, type }: Extract<Subject, { type: 'ask' | 'owner' }>,
  bytes: Uint8Array,
): Decoded<Inbound> {
  const payload = decodePayload(bytes);
  if (!payload.ok) return payload;
  const ask = { about, question, payload: payload.value };
  return decoded({ type: 'question', ask: type === 'owner' ? { ...ask, handedOn: true } : ask });
}
