// A small HTTP server for probes, metrics and the actor tree: GET and HEAD on a table of paths,
// plain HTTP without authentication, for the cluster's own network. main.ts starts one or two of
// them.
import { createServer } from 'node:http';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Server as NetServer } from 'node:net';
import { backlog, Connections, serverOptions } from './connections.ts';
import { costlyAtOnce, plainLimits, type ServerLimits } from './limits.ts';

export interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
}

/** `path` is the whole path; a handler of `/livez/*` finds there what follows. */
export type Handler = (query: URLSearchParams, path: string) => Reply | Promise<Reply>;

/** By path; a path that ends with `/*` takes all below it. */
export type Routes = Readonly<Record<string, Handler>>;

/** With how many requests are under way. */
const costly = new WeakMap<Handler, number>();

/** The handler does more than a probe: only a few of its requests are under way at once, until
 *  their answers are taken. */
export function markCostly(handler: Handler): Handler {
  costly.set(handler, 0);
  return handler;
}

export interface ListenOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** For the message about a busy port: what is served and where its port is set. */
  readonly name: string;
  readonly setting: string;
  /** Others listen on the same port with it, and the kernel spreads the connections (SO_REUSEPORT);
   *  Linux alone has it. */
  readonly isShared?: boolean;
}

export interface ServeOptions extends ListenOptions {
  readonly routes: Routes;
  /** A handler threw: a bug. The client gets a 500 without details. */
  readonly onError: (error: unknown, path: string) => void;
  /** For tests. */
  readonly limits?: ServerLimits;
}

export interface RunningServer {
  readonly host: string;
  readonly port: number;
  /** Ends open connections and frees the port. */
  readonly close: () => Promise<void>;
}

/** The port cannot be had; the message says which, what for and what to do. */
export class ListenError extends Error {}

export const text = (status: number, body: string): Reply => ({
  status,
  type: 'text/plain; charset=utf-8',
  body: body.endsWith('\n') ? body : `${body}\n`,
});

export const json = (status: number, body: unknown): Reply => ({
  status,
  type: 'application/json',
  body: `${JSON.stringify(body)}\n`,
});

/** Rejects with ListenError where the port is taken or not allowed. */
export const serve = (options: ServeOptions): Promise<RunningServer> =>
  servePlainly({ limits: plainLimits, ...options }, (request, response) =>
    respond(options, request, response),
  );

/** Without a table of paths, for whoever needs headers, bodies or answers without an end. Rejects
 *  as `serve`; `respond` never rejects. */
export async function servePlainly(
  { limits, ...where }: ListenOptions & { readonly limits: ServerLimits },
  respond: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<RunningServer> {
  const server = createServer(
    serverOptions(limits),
    (request, response) => void respond(request, response),
  );
  const connections = new Connections(server, limits);
  const port = await listen(server, where);
  return {
    host: where.host,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        connections.closeAll();
      }),
  };
}

/** Resolves with the port. Rejects with ListenError where it cannot be had. */
export function listen(server: NetServer, options: ListenOptions): Promise<number> {
  const { host, port, name, setting, isShared = false } = options;
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE'
          ? 'is taken by another process; stop that one'
          : `cannot be listened on (${error.message}); allow it`;
      const message = `port ${port} of ${host} (${name}) ${why} or choose another with ${setting}`;
      reject(new ListenError(message, { cause: error }));
    });
    server.listen({ port, host, backlog, reusePort: isShared }, () => {
      server.removeAllListeners('error');
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/** Of every answer: it is about now, and nobody is to guess what it is. */
export const headersOf = (status: number, type: string, length: number): OutgoingHttpHeaders => ({
  'content-type': type,
  'content-length': length,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  ...(status === 429 ? { 'retry-after': '1' } : {}),
});

async function respond(
  options: ServeOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  request.resume(); // a body is never wanted, but must be read for the connection to go on
  const url = URL.parse(request.url ?? '/', 'http://server');
  const reply = await answer(options, response, request.method ?? 'GET', url);
  response.writeHead(reply.status, {
    ...headersOf(reply.status, reply.type, Buffer.byteLength(reply.body)),
    ...(reply.status === 405 ? { allow: 'GET, HEAD' } : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : reply.body);
}

async function answer(
  { routes, onError }: ServeOptions,
  response: ServerResponse,
  method: string,
  url: URL | null,
): Promise<Reply> {
  if (url === null) return text(400, 'the address is not valid');
  const handler = find(routes, url.pathname);
  if (handler === undefined) {
    return text(404, `nothing at ${url.pathname}; there is ${Object.keys(routes).join(' ')}`);
  }
  if (method !== 'GET' && method !== 'HEAD') return text(405, `${method} is not allowed here`);
  if (!takes(handler, response)) {
    return text(429, `${costlyAtOnce} requests to ${url.pathname} are under way; ask again soon`);
  }
  try {
    return await handler(url.searchParams, url.pathname);
  } catch (error) {
    onError(error, url.pathname);
    return text(500, 'internal error, see the log');
  }
}

/** Counts the request until its answer is taken or the peer is gone; false where it is too many. */
function takes(handler: Handler, response: ServerResponse): boolean {
  const underWay = costly.get(handler);
  if (underWay === undefined) return true;
  if (underWay >= costlyAtOnce) return false;
  costly.set(handler, underWay + 1);
  response.once('close', () => costly.set(handler, (costly.get(handler) ?? 1) - 1));
  return true;
}

function find(routes: Routes, path: string): Handler | undefined {
  if (Object.hasOwn(routes, path)) return routes[path];
  const below = Object.keys(routes).find(
    (route) => route.endsWith('/*') && path.startsWith(route.slice(0, -1)),
  );
  return below === undefined ? undefined : routes[below];
}
