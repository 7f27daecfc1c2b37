// The servers of the request path: one of HTTP/1.1 and one of HTTP/2, and the ports whose
// connections they get. Which of the two a connection is for shows in its first bytes, or in what
// TLS has agreed on (spec activator 1.3, H-138). Used by start.ts.
import { createServer, type Server as HttpServer, type ServerResponse } from 'node:http';
import {
  constants,
  createServer as createHttp2,
  type Http2Server,
  type ServerHttp2Session,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { handleHttp1, hasBody, responseFor } from './http1.ts';
import { handleHttp2 } from './http2.ts';
import type { Shared } from './shared.ts';

export interface Servers {
  readonly http1: HttpServer;
  readonly http2: Http2Server;
  /** Connections that are open. */
  readonly connections: () => number;
  /** Hands a new connection to the server whose protocol it speaks. */
  readonly accept: (socket: Socket) => void;
  /** Ends what waits for its next request, and has the others end with theirs. */
  closeIdle(): void;
  closeAll(): void;
}

export function createServers(shared: Shared): Servers {
  const http1 = createHttp1(shared);
  const { http2, sessions } = createHttp2Server(shared);
  const serveHttp1 = http1.listeners('connection').map((each) => each.bind(http1));
  http1.removeAllListeners('connection');
  const sockets = new Set<Socket>();
  const accept = (socket: Socket): void => {
    if (sockets.size >= shared.limits.connections || shared.isClosing()) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    sniff(socket, shared.limits.headerMs, (isHttp2) => {
      if (isHttp2) {
        // A client of HTTP/2 that ends its half has ended.
        socket.allowHalfOpen = false;
        http2.emit('connection', socket);
      } else for (const serve of serveHttp1) serve(socket);
    });
  };
  http1.on('connection', accept);
  return {
    http1,
    http2,
    connections: () => sockets.size,
    accept,
    closeIdle: () => {
      http1.closeIdleConnections();
      for (const session of sessions) session.close();
    },
    closeAll: () => {
      for (const session of sessions) session.destroy();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function createHttp1(shared: Shared): HttpServer {
  const { headerMs, headerBytes, idleMs } = shared.limits;
  const server = createServer({
    headersTimeout: headerMs,
    // Bodies take as long as their revision lets them.
    requestTimeout: 0,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: Math.min(1_000, headerMs),
    maxHeaderSize: headerBytes,
    keepAlive: true,
    noDelay: true,
    // Who asks for HTTP/2 that way is answered by HTTP/1.1, as RFC 9110 lets a server do; so is who
    // sends a body first, which nothing would tell from the bytes of the other protocol.
    shouldUpgradeCallback: (request) =>
      request.headers.upgrade?.toLowerCase() !== 'h2c' && !hasBody(request),
  });
  // Node would leave out those beyond 2,000 without a word; their bytes have a limit.
  server.maxHeadersCount = 0;
  server.on('request', (request, response) => handleHttp1(shared, request, response));
  server.on('checkContinue', (request, response: ServerResponse) =>
    handleHttp1(shared, request, response, { isExpecting: true }),
  );
  server.on('checkExpectation', (_, response: ServerResponse) => {
    response.writeHead(417, { 'content-length': 0, connection: 'close' }).end();
  });
  server.on('upgrade', (request, _, upgradeHead) =>
    handleHttp1(shared, request, responseFor(request), { upgradeHead }),
  );
  server.on('connect', (_, socket) => end(socket, '400 Bad Request'));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const isLost = error.code === 'ECONNRESET' || !socket.writable || hasBegunAnswer(socket);
    if (isLost) socket.destroy();
    else end(socket, statusOf(error.code));
  });
  return server;
}

/** A status in the middle of an answer would be taken for a part of it. */
const hasBegunAnswer = (socket: Duplex & { readonly _httpMessage?: ServerResponse | null }) =>
  socket._httpMessage?.headersSent === true;

const end = (socket: Duplex, status: string): void => {
  socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
};

function statusOf(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') return '431 Request Header Fields Too Large';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return '408 Request Timeout';
  return '400 Bad Request';
}

function createHttp2Server(shared: Shared): {
  readonly http2: Http2Server;
  readonly sessions: ReadonlySet<ServerHttp2Session>;
} {
  const sessions = new Set<ServerHttp2Session>();
  const http2 = createHttp2({
    maxHeaderListPairs: 256,
    // Fields pass as they came: Node would throw where one comes twice that should come once.
    strictSingleValueFields: false,
    // A gateway cancels for all of its clients, so a burst of that is no attack yet.
    streamResetBurst: 10_000,
    streamResetRate: 1_000,
    settings: {
      initialWindowSize: 1_024 * 1_024,
      maxConcurrentStreams: shared.limits.streams,
      maxHeaderListSize: shared.limits.headerBytes,
    },
  });
  http2.on('session', (session) => {
    sessions.add(session);
    const timer = setTimeout(() => session.destroy(), shared.limits.headerMs);
    session.once('stream', () => clearTimeout(timer));
    session.once('close', () => {
      clearTimeout(timer);
      sessions.delete(session);
    });
  });
  http2.on('sessionError', () => undefined);
  http2.on('stream', (stream, headers, flags, raw) => {
    const hasBody = (flags & constants.NGHTTP2_FLAG_END_STREAM) === 0;
    handleHttp2(shared, stream, { headers, raw, hasBody });
  });
  return { http2, sessions };
}

/** How every connection of HTTP/2 begins. */
const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const nothing = Buffer.alloc(0);

/** Looks at the first bytes, and puts them back. Who sends none in time is cut off (H-92). */
function sniff(socket: Socket, ms: number, decided: (isHttp2: boolean) => void): void {
  const timer = setTimeout(() => socket.destroy(), ms);
  let seen = nothing;
  const look = (): void => {
    const read: unknown = socket.read();
    if (!(read instanceof Buffer)) return;
    seen = seen.length === 0 ? read : Buffer.concat([seen, read]);
    const length = Math.min(seen.length, preface.length);
    const isLike = seen.subarray(0, length).equals(preface.subarray(0, length));
    if (isLike && length < preface.length) return;
    done();
    // Not before: what is put back is told as new.
    socket.unshift(seen);
    decided(isLike);
  };
  const close = (): void => void socket.destroy();
  const done = (): void => {
    clearTimeout(timer);
    socket.off('readable', look).off('error', close).off('end', close).off('close', done);
  };
  socket.on('readable', look).on('error', close).on('end', close).on('close', done);
}
