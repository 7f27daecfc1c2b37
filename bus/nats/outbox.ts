// Facts that cannot be sent now: the latest per subject, up to a bound in number and bytes, the
// oldest go first. Used by bus.ts while there is no connection or the server takes nothing.
import type { MsgHdrs } from '@nats-io/transport-node';
import { busLimits } from '#bus/limits.ts';

type Waiting = readonly [payload: Uint8Array, headers?: MsgHdrs];

export class Outbox {
  readonly #waiting = new Map<string, Waiting>();
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
  put(subject: string, payload: Uint8Array, headers?: MsgHdrs): void {
    if (this.#take(subject) !== undefined) this.coalesced++;
    this.#waiting.set(subject, headers === undefined ? [payload] : [payload, headers]);
    this.bytes += payload.length;
    while (this.#waiting.size > this.#maxMessages || this.bytes > this.#maxBytes) {
      if (this.shift() === undefined) return;
      this.evicted++;
    }
  }

  /** The oldest, removed. */
  shift(): readonly [subject: string, ...Waiting] | undefined {
    for (const [subject, waiting] of this.#waiting) {
      this.#take(subject);
      return [subject, ...waiting];
    }
    return undefined;
  }

  #take(subject: string): Waiting | undefined {
    const waiting = this.#waiting.get(subject);
    if (waiting === undefined) return undefined;
    this.#waiting.delete(subject);
    this.bytes -= waiting[0].length;
    return waiting;
  }
}
