// KubeTransport over HTTPS: an undici pool for requests and another one for watches, so that open
// watches never take a socket from a request. The composition root makes one per API server; the
// rest of the process sees only the KubeTransport.
import Pool from 'undici/lib/dispatcher/pool.js';
import type { Credentials, KubeConnection } from '../connect/connection.ts';
import * as limits from '../limits.ts';
import { exchange } from './exchange.ts';
import { serverBase, transportOver } from './over.ts';
import type { KubeTransport } from './transport.ts';

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
  const base = serverBase(connection.server);
  const pools = new Pools(base.origin, connection, options);
  const transport = transportOver(connection, options, (outgoing) => {
    const { method, path, headers, body, signal, isWanted, onData } = outgoing;
    return exchange(
      pools.pick(outgoing.isWatch ? 'watches' : 'requests', outgoing.credentials),
      {
        method,
        path,
        headers: { ...headers },
        // Else undici closes the socket after a DELETE that has a body.
        reset: false,
        ...(body === undefined ? {} : { body }),
      },
      { signal, isWanted, onData },
    );
  });
  return { ...transport, host: base.host, close: () => pools.close() };
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
