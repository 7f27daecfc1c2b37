// Requests that come by HTTP/2, each a stream of its session: what of the client's side a request
// reads and writes (spec activator 1.3, 1.9, 1.13). Entered by listeners.ts.
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { sendByHttp2 } from './attempts/http2.ts';
import { Exchange } from './exchange.ts';
import type { Attempt, Flat, OutgoingHttp2, Routed } from './types.ts';
import { forwardedHeaders, forwardedTrailers, grouped, one } from './headers.ts';
import { type Answer, badAnswer, headersOf, route } from './route.ts';
import type { Shared } from './shared.ts';

export interface Arrived {
  readonly headers: IncomingHttpHeaders;
  /** As they came: name, value, name, value. */
  readonly raw: readonly string[];
  readonly hasBody: boolean;
}

/** Answers a request, or hands it to a pod of its revision. Never throws. */
export function handleHttp2(shared: Shared, stream: ServerHttp2Stream, arrived: Arrived): void {
  // Its end is what counts, and 'close' tells of it.
  stream.on('error', () => undefined);
  const { headers, hasBody } = arrived;
  const path = headers[':path'];
  const bad = badHead(shared, arrived);
  if (bad !== undefined || path === undefined) {
    return answer(stream, bad ?? badAnswer('there is no :path\n'), hasBody);
  }
  const routed = route(shared, headers, { host: hostOf(headers), path });
  if ('body' in routed) return answer(stream, routed, hasBody);
  new Http2Exchange(routed, stream, arrived).begin();
}

/** The limit that we announce is advice, and counts once the client has heard of it. */
function badHead({ limits }: Shared, { headers, raw }: Arrived): Answer | undefined {
  if (headers[':method'] === 'CONNECT') return badAnswer('CONNECT is not served\n');
  let bytes = 0;
  for (const each of raw) bytes += each.length;
  if (bytes <= limits.headerBytes) return undefined;
  return { status: 431, body: 'the head of the request is too large\n', headers: [] };
}

const hostOf = (headers: IncomingHttpHeaders): string =>
  headers[':authority'] ?? one(headers.host) ?? '';

function answer(stream: ServerHttp2Stream, ours: Answer, hasBody: boolean): void {
  if (stream.destroyed) return;
  stream.respond([':status', String(ours.status), ...headersOf(ours)]);
  // A request for a head alone has it end there.
  if (!stream.writableEnded) stream.end(ours.body);
  if (hasBody) wantNoMore(stream);
}

/** Tells a client that the rest of its body is for nobody, after the answer. */
function wantNoMore(stream: ServerHttp2Stream): void {
  if (stream.destroyed || stream.readableEnded) return;
  stream.resume();
  stream.close(constants.NGHTTP2_NO_ERROR);
}

class Http2Exchange extends Exchange implements OutgoingHttp2 {
  readonly stream: ServerHttp2Stream;
  readonly hasBody: boolean;
  readonly #arrived: Arrived;
  /** Of the request, once they are here. */
  arrivedTrailers: Flat = [];
  /** Of the answer. */
  #trailers: Flat = [];

  constructor(routed: Routed, stream: ServerHttp2Stream, arrived: Arrived) {
    super(routed);
    this.stream = stream;
    this.hasBody = arrived.hasBody;
    this.#arrived = arrived;
    stream.on('close', () => this.cancel());
    stream.on('aborted', () => this.cancel());
    stream.on('trailers', (_, __, got) => {
      this.arrivedTrailers = forwardedTrailers(got);
    });
    // Nothing comes, which has to be read all the same.
    if (!this.hasBody) stream.resume();
    stream.on('wantTrailers', () => {
      if (stream.destroyed) return;
      this.written(() => stream.sendTrailers(grouped(this.#trailers)));
      if (this.hasBody) setImmediate(wantNoMore, stream);
    });
  }

  /** As the pod gets it. */
  get head(): string[] {
    const { headers, raw } = this.#arrived;
    const { shared, target } = this.routed;
    const passthroughHost = shared.isPassthrough
      ? `${target.name}-private.${target.namespace}`
      : undefined;
    const forwarded = forwardedHeaders({
      raw,
      headers,
      host: hostOf(headers),
      clientAddress: this.#clientAddress,
      passthroughHost: undefined,
    });
    if (passthroughHost !== undefined) forwarded.push('k-passthrough-lb', 'true');
    return [
      ':method',
      headers[':method'] ?? 'GET',
      ':scheme',
      'http',
      ':authority',
      passthroughHost ?? this.dest,
      ':path',
      headers[':path'] ?? '/',
      ...forwarded,
    ];
  }

  get #clientAddress(): string {
    return this.stream.session?.socket.remoteAddress ?? '';
  }

  protected send(): Attempt {
    const isExpecting = one(this.#arrived.headers.expect)?.toLowerCase() === '100-continue';
    if (isExpecting && !this.stream.headersSent) this.stream.additionalHeaders({ ':status': 100 });
    return sendByHttp2(this);
  }

  protected writeInformation(status: number, headers: Flat): void {
    if (status !== 103 || this.stream.destroyed) return;
    this.stream.additionalHeaders({ ':status': status, ...grouped(headers) });
  }

  protected writeHead(status: number, headers: Flat): void {
    if (this.stream.destroyed) return;
    // Whether trailers follow shows at the end.
    this.stream.respond([':status', String(status), ...headers], { waitForTrailers: true });
  }

  protected writeHeadAlone(status: number, headers: Flat): void {
    if (this.stream.destroyed) return;
    this.stream.respond([':status', String(status), ...headers], { endStream: true });
    if (this.hasBody) wantNoMore(this.stream);
  }

  whenDrained(run: () => void): void {
    this.stream.once('drain', run);
  }

  protected writeData(chunk: Buffer): boolean {
    return this.stream.writableEnded || this.stream.destroyed || this.stream.write(chunk);
  }

  protected writeEnd(trailers: Flat): void {
    this.#trailers = trailers;
    if (!this.stream.writableEnded) this.stream.end();
  }

  protected writeError(status: number, body: string, headers: Flat): void {
    answer(this.stream, { status, body, headers }, this.hasBody);
  }

  /** The stream is reset, so that nobody takes the answer for a whole one. */
  protected cut(text: string | undefined): void {
    const { stream } = this;
    const reset = (): void => stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    // Behind what a client does not read it would never be written.
    if (text === undefined || stream.writableEnded || stream.writableLength > 0) reset();
    else stream.write(text, reset);
  }

  protected get line() {
    const { headers } = this.#arrived;
    return {
      method: headers[':method'] ?? '',
      url: headers[':path'] ?? '',
      host: hostOf(headers),
      protocol: 'HTTP/2.0',
      remoteAddress: this.#clientAddress,
      headers,
    };
  }
}
