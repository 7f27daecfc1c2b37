// A KubeTransport over whatever sends one HTTP request: credentials, headers, the second attempt
// after a 401 and the reading of answers and watches are the same for all. http.ts sends by undici,
// src/agent/https.ts by what Node brings along.
import type { CredentialSource, Credentials, KubeConnection } from '../connect/connection.ts';
import { same } from '../connect/credentials.ts';
import * as limits from '../limits.ts';
import type { Reply } from './exchange.ts';
import { parseJson } from './parse.ts';
import type { KubeRequest, KubeResponse, KubeTransport, WatchSink } from './transport.ts';
import { readWatch } from './watch-stream.ts';

/** One request as it goes to the wire. */
export interface Outgoing {
  readonly method: KubeRequest['method'];
  /** With what precedes every path at this server. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly isWanted: (() => boolean) | undefined;
  /** Takes the body of a 200 as it comes. */
  readonly onData: ((chunk: Buffer) => void) | undefined;
  readonly isWatch: boolean;
  readonly credentials: Credentials;
}

export interface OverOptions {
  readonly userAgent: string;
  readonly maxLineBytes?: number;
}

export function serverBase(server: string): { origin: string; host: string; path: string } {
  const url = URL.parse(server);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new TypeError(`server: "${server}" is no URL; like https://10.0.0.1:6443 would be right`);
  }
  return { origin: url.origin, host: url.host, path: url.pathname.replace(/\/+$/, '') };
}

/** Throws where the server URL cannot be used. */
export function transportOver(
  connection: KubeConnection,
  options: OverOptions,
  exchange: (outgoing: Outgoing) => Promise<Reply>,
): KubeTransport {
  const { path } = serverBase(connection.server);
  const send: Send = (request, isWatch, onData) =>
    withCredentials(connection.credentials, (credentials) =>
      exchange({
        method: request.method,
        path: path + request.path,
        headers: headersOf(request, credentials, options.userAgent),
        body: request.body === undefined ? undefined : JSON.stringify(request.body),
        signal: request.signal,
        isWanted: request.isWanted,
        onData,
        isWatch,
        credentials,
      }),
    );
  return {
    request: async (request) => responseOf(await send(request, false)),
    watch: (watched, sink) => openWatch(send, watched, sink, options),
  };
}

/** `onData` takes the body of a 200 as it comes. */
type Send = (
  request: KubeRequest,
  isWatch: boolean,
  onData?: (chunk: Buffer) => void,
) => Promise<Reply>;

/** Sends once, in this turn where the credentials are known, and once more with fresh ones after a
 *  401: it was not carried out. */
async function withCredentials(
  source: CredentialSource,
  send: (credentials: Credentials) => Promise<Reply>,
): Promise<Reply> {
  const known = source.current();
  const used = known instanceof Promise ? await known : known;
  const first = await send(used);
  if (first.status !== 401) return first;
  source.refused(used);
  const fresh = await source.current();
  return same(used, fresh) ? first : send(fresh);
}

function headersOf(
  request: KubeRequest,
  credentials: Credentials,
  userAgent: string,
): Record<string, string> {
  return {
    accept: request.accept ?? 'application/json',
    'user-agent': userAgent,
    ...(request.body === undefined
      ? {}
      : { 'content-type': request.contentType ?? 'application/json' }),
    ...credentials.headers,
  };
}

function responseOf(reply: Reply): KubeResponse {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(reply.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return { status: reply.status, headers, body: parse(reply.text, headers['content-type']) };
}

/** A broken JSON answer rejects like a broken connection: nobody knows what the server meant. */
function parse(text: string, contentType: string | undefined): unknown {
  const isJson = contentType?.includes('json') === true;
  return isJson && text !== '' ? parseJson(text) : text;
}

function openWatch(send: Send, path: string, sink: WatchSink, options: OverOptions): () => void {
  const abort = new AbortController();
  const { signal } = abort;
  void readWatch(sink, {
    signal,
    maxLineBytes: options.maxLineBytes ?? limits.maxWatchLineBytes,
    open: async (onData) => responseOf(await send({ method: 'GET', path, signal }, true, onData)),
  });
  return () => abort.abort();
}
