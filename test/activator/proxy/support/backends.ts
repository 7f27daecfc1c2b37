// Pods as tests want them: a handler of HTTP/1.1, one of HTTP/2, or bare sockets, each at a port of
// its own. They count the requests that they have at once.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  createServer as createHttp2,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer as createRaw, type Server, type Socket } from 'node:net';

export class Pod {
  readonly server: Server;
  readonly #sockets = new Set<Socket>();
  /** Requests that it has now, the most that it had at once, and all that came. */
  running = 0;
  most = 0;
  seen = 0;
  connections = 0;
  /** Once it has listened. */
  port = 0;

  constructor(server: Server) {
    this.server = server;
    server.on('connection', (socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  begun(): void {
    this.seen += 1;
    this.running += 1;
    this.most = Math.max(this.most, this.running);
  }

  ended(): void {
    this.running -= 1;
  }

  get dest(): string {
    return `127.0.0.1:${this.port}`;
  }

  async listen(port = 0): Promise<this> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('the pod has no port');
    this.port = address.port;
    return this;
  }

  /** With all of its connections. */
  async kill(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    if (!this.server.listening) return;
    await new Promise((resolve) => this.server.close(resolve));
  }
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export function podOf(handler: Handler): Promise<Pod> {
  const server = createServer({ requestTimeout: 0, maxHeaderSize: 128 * 1_024 });
  // All of them.
  server.maxHeadersCount = 0;
  const pod = new Pod(server);
  server.on('request', (request, response) => {
    pod.begun();
    response.once('close', () => pod.ended());
    handler(request, response);
  });
  return pod.listen();
}

export type StreamHandler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

export function http2PodOf(handler: StreamHandler): Promise<Pod> {
  const server = createHttp2();
  const pod = new Pod(server);
  server.on('stream', (stream, headers) => {
    pod.begun();
    stream.on('error', () => undefined);
    stream.once('close', () => pod.ended());
    handler(stream, headers);
  });
  return pod.listen();
}

/** Speaks for itself. */
export const rawPodOf = (onSocket: (socket: Socket) => void): Promise<Pod> =>
  new Pod(createRaw({ allowHalfOpen: true }, onSocket)).listen();

/** Answers with what it got. */
export const echo: Handler = (request, response) => {
  response.writeHead(200, { 'x-seen': JSON.stringify(request.rawHeaders) });
  request.pipe(response);
};

export const hello: Handler = (_, response) => void response.end('hello');
