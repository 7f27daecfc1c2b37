// KubeTransport over HTTPS: an undici pool for requests and another one for watches, so that open
// watches never take a socket from a request. The composition root makes one per API server; the
// rest of the process sees only the KubeTransport.
import { Pool } from 'undici';
import type { CredentialSource, Credentials, KubeConnection } from '../connect/connection.ts';
import { same } from '../connect/credentials.ts';
import * as limits from '../limits.ts';
import { exchange, type Reply } from './exchange.ts';
import { parseJson } from './parse.ts';
import type { KubeRequest, KubeResponse, KubeTransport, WatchSink } from './transport.ts';
import { readWatch } from './watch-stream.ts';

export interface HttpTransport extends KubeTransport {
  /** Host and port, as metrics name the server. */
  readonly host: string;
  /** Lets requests under way finish and breaks off watches. */
  close(): Promise<void>;
}

/** All in milliseconds, bytes or sockets; defaults and reasons in limits.ts. */
export interface HttpOptions {
  readonly userAgent: string;
  readonly connectTimeoutMs?: number;
  readonly headersTimeoutMs?: number;
  readonly bodyTimeoutMs?: number;
  readonly sockets?: number;
  readonly maxLineBytes?: number;
}

/** Opens no socket before the first request. Throws where the server URL cannot be used. */
export function httpTransport(connection: KubeConnection, options: HttpOptions): HttpTransport {
  const base = baseOf(connection.server);
  const pools = new Pools(base.origin, connection, options);
  const send: Send = (request, kind, onData) =>
    withCredentials(connection.credentials, (credentials) =>
      exchange(
        pools.pick(kind, credentials),
        {
          method: request.method,
          path: base.path + request.path,
          headers: headersOf(request, credentials, options.userAgent),
          // Else undici closes the socket after a DELETE that has a body.
          reset: false,
          ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
        },
        { signal: request.signal, isWanted: request.isWanted, onData },
      ),
    );
  return {
    host: base.host,
    request: async (request) => responseOf(await send(request, 'requests')),
    watch: (path, sink) => openWatch(send, path, sink, options),
    close: () => pools.close(),
  };
}

/** `onData` takes the body of a 200 as it comes. */
type Send = (
  request: KubeRequest,
  kind: PoolKind,
  onData?: (chunk: Buffer) => void,
) => Promise<Reply>;

function baseOf(server: string): { origin: string; host: string; path: string } {
  const url = URL.parse(server);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new TypeError(`server: "${server}" is no URL; like https://10.0.0.1:6443 would be right`);
  }
  return { origin: url.origin, host: url.host, path: url.pathname.replace(/\/+$/, '') };
}

/** Sends once, and once more with fresh credentials after a 401: it was not carried out. */
async function withCredentials(
  source: CredentialSource,
  send: (credentials: Credentials) => Promise<Reply>,
): Promise<Reply> {
  const used = await source.current();
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

function openWatch(send: Send, path: string, sink: WatchSink, options: HttpOptions): () => void {
  const abort = new AbortController();
  const { signal } = abort;
  void readWatch(sink, {
    signal,
    maxLineBytes: options.maxLineBytes ?? limits.maxWatchLineBytes,
    open: async (onData) =>
      responseOf(await send({ method: 'GET', path, signal }, 'watches', onData)),
  });
  return () => abort.abort();
}

type PoolKind = 'requests' | 'watches';

/** The pools of the client certificate in use; a renewed one gets new pools. */
class Pools {
  readonly #origin: string;
  readonly #connection: KubeConnection;
  readonly #options: HttpOptions;
  #cert: string | undefined;
  #pools: Readonly<Record<PoolKind, Pool>> | undefined;
  #closed = false;

  constructor(origin: string, connection: KubeConnection, options: HttpOptions) {
    this.#origin = origin;
    this.#connection = connection;
    this.#options = options;
  }

  pick(kind: PoolKind, credentials: Credentials): Pool {
    if (this.#closed) throw new Error('the connection to the API server was closed');
    if (this.#pools === undefined || this.#cert !== credentials.cert) {
      // Requests on the old sockets finish; the watches are resumed on new ones.
      if (this.#pools !== undefined) void closePools(this.#pools);
      this.#cert = credentials.cert;
      const { sockets = limits.maxRequestSockets } = this.#options;
      this.#pools = {
        requests: this.#open(credentials, { connections: sockets, bodyTimeout: this.#bodyMs }),
        // The reflector knows how long a watch may be silent, so the pool does not.
        watches: this.#open(credentials, { connections: null, bodyTimeout: 0 }),
      };
    }
    return this.#pools[kind];
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#pools !== undefined) await closePools(this.#pools);
  }

  get #bodyMs(): number {
    return this.#options.bodyTimeoutMs ?? limits.bodyTimeoutMs;
  }

  #open(credentials: Credentials, own: Pick<Pool.Options, 'connections' | 'bodyTimeout'>): Pool {
    const { ca, servername, insecure } = this.#connection.tls;
    const { cert, key } = credentials;
    return new Pool(this.#origin, {
      ...own,
      allowH2: false,
      maxResponseSize: own.bodyTimeout === 0 ? -1 : limits.maxResponseBytes,
      headersTimeout: this.#options.headersTimeoutMs ?? limits.headersTimeoutMs,
      keepAliveTimeout: limits.idleSocketMs,
      keepAliveMaxTimeout: limits.idleSocketMs,
      connect: {
        timeout: this.#options.connectTimeoutMs ?? limits.connectTimeoutMs,
        rejectUnauthorized: !insecure,
        ...(ca === undefined ? {} : { ca }),
        ...(servername === undefined ? {} : { servername }),
        ...(cert === undefined ? {} : { cert }),
        ...(key === undefined ? {} : { key }),
      },
    });
  }
}

/** Requests may finish, watches would never: those are broken off. */
const closePools = async (pools: Readonly<Record<PoolKind, Pool>>): Promise<void> => {
  await Promise.all([pools.requests.close(), pools.watches.destroy()]);
};
