// A connection to NATS that is none: keeps what is subscribed to, and takes requests to it.
import type { NatsConnection } from '@nats-io/transport-node';

interface Request {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly respond: (body: string | Uint8Array, more?: unknown) => void;
}

interface Given {
  readonly callback: (error: Error | null, request: Request) => void;
  readonly queue?: string;
}

export class FakeConnection {
  /** The library throws then. */
  isClosed = false;
  readonly #subscribed = new Set<Given & { readonly subject: string }>();

  /** For what is under test. */
  get connection(): NatsConnection {
    return this as never;
  }

  /** As they were asked for, each as often; `subject queue` where it is in one. */
  get subjects(): readonly string[] {
    return [...this.#subscribed].map(({ subject, queue }) =>
      queue === undefined ? subject : `${subject} ${queue}`,
    );
  }

  subscribe(subject: string, given: Given): { readonly unsubscribe: () => void } {
    if (this.isClosed) throw new Error('CLOSED');
    const own = { ...given, subject };
    this.#subscribed.add(own);
    return { unsubscribe: () => void this.#subscribed.delete(own) };
  }

  /** What is responded to whoever subscribed to that very text. */
  async request(
    to: string,
    subject = to,
    data = new Uint8Array(),
    error: Error | null = null,
  ): Promise<readonly unknown[]> {
    const responses: unknown[] = [];
    const respond = (body: string | Uint8Array): void => {
      if (this.isClosed) throw new Error('CLOSED');
      responses.push(JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)));
    };
    for (const one of this.#subscribed) {
      if (one.subject === to) one.callback(error, { subject, data, respond });
    }
    await new Promise<void>((resolve) => setImmediate(resolve));
    return responses;
  }
}
