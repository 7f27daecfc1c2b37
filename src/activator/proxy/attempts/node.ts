// A request on its way to a pod by node:http: those that undici cannot send. They are few, so each
// has a connection of its own: requests that announce trailers, those for `*`, and those that want
// another protocol on their connection (spec activator 1.13, H-85).
import { type ClientRequest, type IncomingMessage, request as connectTo } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { dial, hostPortOf } from '../dial.ts';
import type { Attempt } from '../exchange.ts';
import { returnedHeaders } from '../headers.ts';
import type { Http1Exchange } from '../http1.ts';

export const needsNode = ({ request, arrival }: Http1Exchange): boolean =>
  arrival.upgradeHead !== undefined ||
  request.headers['trailer'] !== undefined ||
  request.url === '*';

export function sendByNode(exchange: Http1Exchange): Attempt {
  const attempt = new NodeAttempt(exchange);
  attempt.dial();
  return attempt;
}

class NodeAttempt implements Attempt {
  readonly #exchange: Http1Exchange;
  #request: ClientRequest | undefined;
  #giveUp = (): void => undefined;
  #isCancelled = false;
  #isOver = false;
  #tunnel: Duplex | undefined;

  constructor(exchange: Http1Exchange) {
    this.#exchange = exchange;
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#isOver = true;
    this.#giveUp();
    this.#request?.destroy();
    this.#tunnel?.destroy();
  }

  dial(): void {
    const { dest, routed } = this.#exchange;
    this.#giveUp = dial(hostPortOf(dest), routed.shared.pods.limits.dial, (error, socket) => {
      if (this.#isCancelled) return;
      if (socket === undefined) this.#fail(error ?? new Error('no connection'), false);
      else this.#sendOn(socket);
    });
  }

  #sendOn(socket: Socket): void {
    const exchange = this.#exchange;
    const { method, path, headers } = exchange.head;
    const { request: from, arrival, dest } = exchange;
    if (!headers.includes('host')) headers.push('host', dest);
    if (arrival.upgradeHead === undefined) this.#announce(headers);
    else headers.push('connection', 'upgrade', 'upgrade', from.headers.upgrade ?? '');
    const { host, port } = hostPortOf(dest);
    const to = connectTo({ host, port, method, path, headers, createConnection: () => socket });
    this.#request = to;
    to.on('error', (error) => this.#fail(error, true));
    to.on('response', (answer) => this.#answered(answer));
    to.on('information', ({ statusCode, headers: hints }) => {
      exchange.answerBegun(statusCode, returnedHeaders(hints), undefined);
    });
    to.on('upgrade', (answer, tunnel, head) => this.#upgraded(answer, tunnel, head));
    this.#sendBody(to);
  }

  #announce(headers: string[]): void {
    const { trailer } = this.#exchange.request.headers;
    if (trailer !== undefined) headers.push('trailer', trailer);
    headers.push('connection', 'close');
    if (this.#exchange.hasBody && !headers.some(isLength)) {
      headers.push('transfer-encoding', 'chunked');
    }
  }

  #sendBody(to: ClientRequest): void {
    const { request: from, hasBody, arrival } = this.#exchange;
    if (!hasBody || arrival.upgradeHead !== undefined) return void to.end();
    from.on('data', (chunk: Buffer) => {
      if (!to.write(chunk)) from.pause();
    });
    to.on('drain', () => from.resume());
    from.on('end', () => {
      const { rawTrailers } = from;
      if (rawTrailers.length > 0) to.addTrailers(pairsOf(rawTrailers));
      to.end();
    });
  }

  #answered(answer: IncomingMessage): void {
    const exchange = this.#exchange;
    const { statusCode = 502, headersDistinct, statusMessage } = answer;
    exchange.answerBegun(statusCode, returnedHeaders(headersDistinct), statusMessage);
    answer.on('data', (chunk: Buffer) => {
      if (this.#isOver || exchange.answerData(chunk)) return;
      answer.pause();
      exchange.response.once('drain', () => answer.resume());
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
    this.#tunnel = tunnel;
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
    this.#request?.destroy();
    this.#exchange.attemptFailed(error, wasSent);
  }
}

const isLength = (name: string): boolean => name.toLowerCase() === 'content-length';

const pairsOf = (flat: readonly string[]): [string, string][] =>
  flat.flatMap((name, at): [string, string][] =>
    at % 2 === 0 ? [[name, flat[at + 1] ?? '']] : [],
  );
