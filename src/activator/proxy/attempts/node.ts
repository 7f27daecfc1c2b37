// A request on its way to a pod by node:http: those that undici cannot send. They are few, so each
// has a connection of its own: requests that announce trailers, those for `*`, those that want
// another protocol on their connection, and bodies of revisions with full duplex, whose head undici
// would hold back until there is a byte of the body (spec activator 1.13, H-85, H-88).
import { type ClientRequest, type IncomingMessage, request as connectTo } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { asError } from '../as-error.ts';
import { dial, hostPortOf, leaveSocket } from '../dial.ts';
import type { Attempt, OutgoingHttp1 } from '../types.ts';
import { forwardedTrailers, grouped, returnedHeaders } from '../headers.ts';

export const needsNode = ({ request, arrival, hasBody, routed }: OutgoingHttp1): boolean =>
  arrival.upgradeHead !== undefined ||
  trailersOf(request) !== undefined ||
  request.url === '*' ||
  (hasBody && routed.rules.isFullDuplex);

/** As announced. Without chunks none can come, and Node throws where they are announced then. */
const trailersOf = ({ headers }: IncomingMessage): string | undefined =>
  headers['transfer-encoding'] === undefined ? undefined : headers['trailer'];

export function sendByNode(exchange: OutgoingHttp1): Attempt {
  const attempt = new NodeAttempt(exchange);
  attempt.dial();
  return attempt;
}

class NodeAttempt implements Attempt {
  readonly #exchange: OutgoingHttp1;
  #request: ClientRequest | undefined;
  #giveUp = (): void => undefined;
  #isCancelled = false;
  #isOver = false;
  #socket: Socket | undefined;

  constructor(exchange: OutgoingHttp1) {
    this.#exchange = exchange;
  }

  cancel(left: () => void): void {
    this.#isCancelled = true;
    this.#isOver = true;
    const socket = this.#socket;
    if (socket === undefined || socket.destroyed) {
      this.#giveUp();
      return left();
    }
    socket.once('close', left);
    leaveSocket(socket, () => socket.destroy());
    socket.resume();
  }

  dial(): void {
    const { dest, routed } = this.#exchange;
    this.#giveUp = dial(hostPortOf(dest), routed.shared.pods.limits.dial, (error, socket) => {
      if (this.#isCancelled) return;
      if (socket === undefined) this.#fail(error ?? new Error('no connection'), false);
      else this.#try(() => this.#sendOn(socket));
    });
  }

  /** Node throws for some of what clients send: that costs the attempt. */
  #try(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#fail(asError(error), true);
    }
  }

  #sendOn(socket: Socket): void {
    this.#socket = socket;
    const exchange = this.#exchange;
    const { method, path, headers } = exchange.head;
    const { request: from, arrival, dest } = exchange;
    if (!exchange.routed.shared.isPassthrough) headers.push('host', dest);
    if (arrival.upgradeHead === undefined) this.#announce(headers);
    else headers.push('connection', 'upgrade', 'upgrade', from.headers.upgrade ?? '');
    const { host, port } = hostPortOf(dest);
    const to = connectTo({ host, port, method, path, headers, createConnection: () => socket });
    this.#request = to;
    to.on('error', (error) => this.#fail(error, true));
    to.on('response', (answer) => this.#answered(answer));
    to.on('information', ({ statusCode, headers: hints }) => {
      exchange.answerBegun(statusCode, returnedHeaders(hints));
    });
    to.on('upgrade', (answer, tunnel, head) => this.#upgraded(answer, tunnel, head));
    this.#sendBody(to);
  }

  #announce(headers: string[]): void {
    const trailer = trailersOf(this.#exchange.request);
    if (trailer !== undefined) headers.push('trailer', trailer);
    headers.push('connection', 'close');
    if (this.#exchange.hasBody && this.#exchange.request.headers['content-length'] === undefined) {
      headers.push('transfer-encoding', 'chunked');
    }
  }

  #sendBody(to: ClientRequest): void {
    const { request: from, hasBody, arrival } = this.#exchange;
    if (!hasBody || arrival.upgradeHead !== undefined) return void to.end();
    to.flushHeaders();
    from.on('data', (chunk: Buffer) => {
      if (!this.#isOver && !to.write(chunk)) from.pause();
    });
    to.on('drain', () => from.resume());
    from.on('end', () => {
      if (this.#isOver) return;
      this.#try(() => {
        const trailers = forwardedTrailers(from.rawTrailers);
        if (trailers.length > 0) to.addTrailers(grouped(trailers));
        to.end();
      });
    });
  }

  #answered(answer: IncomingMessage): void {
    const exchange = this.#exchange;
    const { statusCode = 502, headersDistinct, statusMessage: message = '' } = answer;
    if (statusCode < 200) return this.#fail(new Error(`${statusCode} is no status`), true);
    exchange.answerBegun(statusCode, returnedHeaders(headersDistinct), { message });
    answer.on('data', (chunk: Buffer) => {
      if (this.#isOver || exchange.answerData(chunk)) return;
      answer.pause();
      exchange.whenDrained(() => answer.resume());
    });
    answer.on('end', () => {
      if (this.#isOver) return;
      this.#isOver = true;
      exchange.answerEnded(returnedHeaders(answer.trailersDistinct));
      this.#request?.destroy();
    });
    answer.on('error', (error) => this.#fail(error, true));
    answer.on('close', () => this.#fail(new Error('the pod closed its connection'), true));
  }

  /** From now on bytes go both ways, until either side ends. */
  #upgraded(answer: IncomingMessage, tunnel: Duplex, head: Buffer): void {
    if (this.#isCancelled) return void tunnel.destroy();
    this.#exchange.switched(answer, tunnel, head);
    tunnel.on('error', () => tunnel.destroy());
    tunnel.on('close', () => {
      if (this.#isOver) return;
      this.#isOver = true;
      this.#exchange.answerEnded([]);
    });
  }

  #fail(error: Error, wasSent: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#request === undefined) this.#socket?.destroy();
    else this.#request.destroy();
    this.#exchange.attemptFailed(error, wasSent);
  }
}
