// Facts that cannot be sent now: the latest per subject, up to a bound in number and bytes, the
// oldest go first. Used by bus.ts while there is no connection or the server takes nothing.
import { busLimits } from '#bus/limits.ts';

export class Outbox {
  readonly #waiting = new Map<string, Uint8Array>();
  readonly #maxMessages: number;
  readonly #maxBytes: number;
  /** Payload bytes that wait; at most the bound. */
  bytes = 0;
  /** Facts overtaken by a later one of the same subject before they could be sent. */
  coalesced = 0;
  /** Facts thrown out because too many others waited. */
  evicted = 0;

  constructor(
    maxMessages: number = busLimits.outboxMessages,
    maxBytes: number = busLimits.outboxBytes,
  ) {
    this.#maxMessages = maxMessages;
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** The newest of a subject goes to the end of the queue: it is as new as that. */
  put(subject: string, payload: Uint8Array): void {
    if (this.#take(subject) !== undefined) this.coalesced++;
    this.#waiting.set(subject, payload);
    this.bytes += payload.length;
    while (this.#waiting.size > this.#maxMessages || this.bytes > this.#maxBytes) {
      if (this.shift() === undefined) return;
      this.evicted++;
    }
  }

  /** The oldest, removed. */
  shift(): readonly [subject: string, payload: Uint8Array] | undefined {
    for (const [subject, payload] of this.#waiting) {
      this.#take(subject);
      return [subject, payload];
    }
    return undefined;
  }

  #take(subject: string): Uint8Array | undefined {
    const payload = this.#waiting.get(subject);
    if (payload === undefined) return undefined;
    this.#waiting.delete(subject);
    this.bytes -= payload.length;
    return payload;
  }
}
