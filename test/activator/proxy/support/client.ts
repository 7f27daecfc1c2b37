// Clients of the request path: one of HTTP/1.1 that says all of an answer, and bare sockets for
// what no client would send.
import { Agent, request as send } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
  readonly trailers?: Readonly<Record<string, string>>;
  readonly agent?: Agent;
  readonly signal?: AbortSignal;
}

export interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
  readonly trailers: Readonly<Record<string, string | undefined>>;
  /** The answer ended as it was announced. */
  readonly isWhole: boolean;
}

/** Rejects where there is no answer. */
export const ask = (port: number, sent: Sent = {}): Promise<Got> =>
  new Promise((resolve, reject) => {
    const { body, trailers = {}, headers = {}, agent = new Agent(), ...rest } = sent;
    const options = { port, host: '127.0.0.1', agent, ...rest };
    const request = send({ ...options, headers: mutable(headers) }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => undefined);
      response.on('close', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString('utf8'),
          trailers: response.trailers,
          isWhole: response.complete,
        });
      });
    });
    request.on('error', reject);
    request.addTrailers(trailers);
    request.end(body);
  });

const mutable = (headers: NonNullable<Sent['headers']>): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : [...value],
    ]),
  );

/** A socket whose text is remembered. */
export class RawClient {
  readonly socket: Socket;
  text = '';
  isEnded = false;
  isClosed = false;

  constructor(port: number, options: { readonly allowHalfOpen?: boolean } = {}) {
    this.socket = connect({ port, host: '127.0.0.1', ...options });
    this.socket.on('data', (chunk: Buffer) => {
      this.text += chunk.toString('latin1');
    });
    this.socket.on('end', () => {
      this.isEnded = true;
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.isClosed = true;
    });
  }

  write(text: string | Buffer): this {
    this.socket.write(text);
    return this;
  }

  /** Resolves when the text has it. Rejects where the connection is closed before. */
  async until(part: string | RegExp): Promise<string> {
    const has = (): boolean =>
      typeof part === 'string' ? this.text.includes(part) : part.test(this.text);
    while (!has()) {
      if (this.isClosed) throw new Error(`closed before ${String(part)}: ${this.text}`);
      await turn();
    }
    return this.text;
  }

  /** Resolves with all that came when the connection is closed. */
  async closed(): Promise<string> {
    while (!this.isClosed) await turn();
    return this.text;
  }
}

/** Of the event loop, with what it polls. */
export const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 1);
  });

/** Turns of the event loop until it is so: no time is part of what is waited for. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
}

export const nowMs = (): number => performance.now();

/** Ends by what it returns. */
export function every(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms);
  return () => clearInterval(timer);
}
