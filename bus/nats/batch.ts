// What is told rather than asked (facts, copies) leaves together: a write to the socket costs some
// 50 us of CPU however little it carries, and a tick tells of dozens of things. Used by bus.ts.
import type { MsgHdrs } from '@nats-io/transport-node';
import type { Clock } from '#actors/ports.ts';
import { busLimits } from '#bus/limits.ts';

export interface OutboundMessage {
  readonly subject: string;
  readonly payload: Uint8Array;
  /** It waits for the next connection if there is none; a copy is dropped. */
  readonly isFact: boolean;
  readonly headers?: MsgHdrs;
}

export class Batch {
  readonly #clock: Clock;
  readonly #send: (message: OutboundMessage) => void;
  #messages: OutboundMessage[] = [];
  #bytes = 0;
  #cancel: (() => void) | null = null;

  /** `send` is called for each message in the order in which it was added. */
  constructor(clock: Clock, send: (message: OutboundMessage) => void) {
    this.#clock = clock;
    this.#send = send;
  }

  /** Sent within `busLimits.batchMs`, or at once when there is as much as one write takes. */
  add(message: OutboundMessage): void {
    this.#messages.push(message);
    this.#bytes += message.subject.length + message.payload.length;
    if (this.#bytes >= busLimits.batchBytes) this.flush();
    else this.#cancel ??= this.#clock.at(this.#clock.now() + busLimits.batchMs, () => this.flush());
  }

  /** Sends what waits now. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = null;
    const messages = this.#messages;
    if (messages.length === 0) return;
    this.#messages = [];
    this.#bytes = 0;
    for (const message of messages) this.#send(message);
  }
}
