// Requests that come by HTTP/1.1, with or without an upgrade: what of the client's side a request
// reads and writes (spec activator 1.9, 1.13). Entered by listeners.ts.
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { sendByClient } from './attempts/client.ts';
import { needsNode, sendByNode } from './attempts/node.ts';
import { Exchange } from './exchange.ts';
import type { Arrival, Attempt, Flat, OutgoingHttp1, Routed } from './types.ts';
import { forwardedHeaders, grouped } from './headers.ts';
import { lingerAfter } from './linger.ts';
import { type Answer, badAnswer, headersOf, route } from './route.ts';
import type { Shared } from './shared.ts';

const usual: Arrival = {};

/** A frame of WebSocket: close, with the code 1001 (RFC 6455, 7.4.1). */
const goingAway = Buffer.from([0x88, 0x02, 0x03, 0xe9]);

/** Answers a request, or hands it to a pod of its revision. Never throws. */
export function handleHttp1(
  shared: Shared,
  request: IncomingMessage,
  response: ServerResponse,
  arrival: Arrival = usual,
): void {
  const { headers } = request;
  const url = request.url ?? '/';
  const bad = badRequest(request);
  if (bad !== undefined) return answer(shared, request, response, badAnswer(bad), true);
  const routed = route(shared, headers, { host: hostOf(request), path: url });
  if ('body' in routed) return answer(shared, request, response, routed);
  new Http1Exchange(routed, request, response, arrival).begin();
}

function answer(
  shared: Shared,
  request: IncomingMessage,
  response: ServerResponse,
  ours: Answer,
  isLast = shared.isClosing() || hasBody(request),
): void {
  if (hasBody(request)) lingerAfter(request, shared.limits.lingerMs);
  const headers = headersOf(ours);
  if (isLast) headers.push('connection', 'close');
  response.writeHead(ours.status, headers);
  response.end(request.method === 'HEAD' ? undefined : ours.body);
}

/** What Node lets pass and no pod should see. */
function badRequest({ rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'HTTP must be 1.0 or 1.1\n';
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1 ? 'too many Host headers\n' : undefined;
}

const isAbsolute = /^https?:\/\/([^/?#]*)/i;

/** A proxy's form of a request names the host in its target. */
const hostOf = ({ url = '/', headers }: IncomingMessage): string =>
  url.startsWith('/') ? (headers.host ?? '') : (isAbsolute.exec(url)?.[1] ?? headers.host ?? '');

function pathOf(url: string): string {
  if (url.startsWith('/')) return url;
  const path = url.replace(isAbsolute, '');
  return path.startsWith('?') ? `/${path}` : path === '' ? '/' : path;
}

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined;
}

/** What Node writes as the reason of a status; it throws for others. */
const isPhrase = /^[\t -~\u0080-\u00ff]*$/;

class Http1Exchange extends Exchange implements OutgoingHttp1 {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly arrival: Arrival;
  readonly hasBody: boolean;
  /** Of the answer, as the pod announces it; -1: it does not. */
  #length = -1;
  /** The client's connection, when it speaks another protocol. */
  #tunnel: Socket | undefined;

  constructor(
    routed: Routed,
    request: IncomingMessage,
    response: ServerResponse,
    arrival: Arrival,
  ) {
    super(routed);
    this.request = request;
    this.response = response;
    this.arrival = arrival;
    this.hasBody = hasBody(request);
    response.on('close', () => this.cancel());
  }

  /** As the pod gets it. */
  get head() {
    const { request, routed } = this;
    const { shared, target } = routed;
    return {
      method: request.method ?? 'GET',
      path: pathOf(request.url ?? '/'),
      headers: forwardedHeaders({
        raw: request.rawHeaders,
        headers: request.headers,
        host: hostOf(request),
        clientAddress: request.socket.remoteAddress ?? '',
        passthroughHost: shared.isPassthrough
          ? `${target.name}-private.${target.namespace}`
          : undefined,
      }),
    };
  }

  protected send(): Attempt {
    if (this.arrival.isExpecting === true && !this.response.headersSent) {
      this.response.writeContinue();
    }
    return needsNode(this) ? sendByNode(this) : sendByClient(this);
  }

  protected writeInformation(status: number, headers: Flat): void {
    if (status !== 103) return;
    const hints = grouped(headers);
    if (hints['link'] === undefined) return;
    try {
      this.response.writeEarlyHints(hints);
    } catch {
      // Node throws for links that it does not read. The answer is good without hints.
    }
  }

  protected writeHead(status: number, headers: Flat, message: string | undefined): void {
    if (status === 101) return;
    const { response, request, routed } = this;
    const made = this.#hasTrailers(status) ? [...headers] : withoutTrailers(headers);
    for (let at = 0; at < made.length; at += 2) {
      if (made[at] === 'content-length') this.#length = Number(made[at + 1]);
    }
    // The rest of a request that was answered early is nobody's: the next one would be lost in it.
    const isEarly = this.hasBody && !request.complete && !routed.rules.isFullDuplex;
    if (isEarly) lingerAfter(request, routed.shared.limits.lingerMs);
    if (isEarly || routed.shared.isClosing()) made.push('connection', 'close');
    if (message === undefined || !isPhrase.test(message)) response.writeHead(status, made);
    else response.writeHead(status, message, made);
    // A client of a slow stream sees the head when it is here (H-84); one with its body is one
    // write.
    process.nextTick(flush, response);
  }

  /** There are chunks to put them behind. */
  #hasTrailers(status: number): boolean {
    const { method, httpVersion } = this.request;
    return httpVersion !== '1.0' && method !== 'HEAD' && status !== 204 && status !== 304;
  }

  protected writeHeadAlone(status: number, headers: Flat): void {
    this.writeHead(status, headers, undefined);
  }

  whenDrained(run: () => void): void {
    this.response.once('drain', run);
  }

  protected writeData(chunk: Buffer): boolean {
    const { response } = this;
    if (chunk.length === this.#length) {
      response.end(chunk);
      return true;
    }
    return response.write(chunk);
  }

  /** The pod has agreed to another protocol: from now on bytes go both ways, until both end. */
  switched(
    { rawHeaders, statusMessage = '' }: IncomingMessage,
    tunnel: Duplex,
    head: Buffer,
  ): void {
    const { request, response, arrival } = this;
    const { socket } = request;
    this.answerBegun(101, []);
    response.detachSocket(socket);
    this.#tunnel = socket;
    let lines = `HTTP/1.1 101 ${statusMessage}\r\n`;
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
      lines += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`;
    }
    socket.write(`${lines}\r\n`, 'latin1');
    if (head.length > 0) socket.write(head);
    if (arrival.upgradeHead !== undefined && arrival.upgradeHead.length > 0) {
      tunnel.write(arrival.upgradeHead);
    }
    socket.on('close', () => this.cancel());
    socket.on('error', () => socket.destroy());
    socket.pipe(tunnel);
    tunnel.pipe(socket);
  }

  override get isUpgraded(): boolean {
    return this.#tunnel !== undefined;
  }

  /** Says that the server goes away, in the words of the other protocol where we know them. */
  override leave(): void {
    if (this.#tunnel === undefined) return;
    if (this.request.headers.upgrade?.toLowerCase() === 'websocket') this.#tunnel.write(goingAway);
    this.stop();
  }

  protected writeEnd(trailers: Flat): void {
    const { response } = this;
    // Of a tunnel whose other end has gone nobody reads any more, not even that the client ends.
    if (this.#tunnel !== undefined) return this.#tunnel.destroySoon();
    // Where the connection stays, its next request comes behind the rest of this one.
    if (this.hasBody && !this.request.complete) this.request.resume();
    if (response.writableEnded) return;
    if (trailers.length > 0) response.addTrailers(grouped(trailers));
    response.end();
  }

  protected writeError(status: number, body: string, headers: Flat): void {
    answer(this.routed.shared, this.request, this.response, { status, body, headers });
  }

  /** The last chunk is missing, and the connection ends. */
  protected cut(text: string | undefined): void {
    const { response } = this;
    if (this.#tunnel !== undefined) return this.#tunnel.destroySoon();
    if (text !== undefined && this.#length === -1) response.write(text);
    response.socket?.end();
    response.destroy();
  }

  protected get line() {
    const { request } = this;
    return {
      method: request.method ?? '',
      url: request.url ?? '',
      host: hostOf(request),
      protocol: `HTTP/${request.httpVersion}`,
      remoteAddress: request.socket.remoteAddress ?? '',
      headers: request.headers,
    };
  }
}

/** Node throws where they are announced and cannot come. */
function withoutTrailers(headers: Flat): string[] {
  const made: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    if (headers[at] !== 'trailer') made.push(headers[at] ?? '', headers[at + 1] ?? '');
  }
  return made;
}

function flush(response: ServerResponse): void {
  if (!response.writableEnded && !response.destroyed) response.flushHeaders();
}

/** For a request whose connection leaves HTTP if its pod agrees. */
export function responseFor(request: IncomingMessage): ServerResponse {
  const { socket } = request;
  const response = new ServerResponse(request);
  response.assignSocket(socket);
  response.once('finish', () => socket.destroySoon());
  // Node has let go of the connection, so nobody else notices that the client is gone.
  socket.on('error', () => socket.destroy());
  socket.once('end', () => {
    if (response.socket !== null) socket.destroy();
  });
  return response;
}
