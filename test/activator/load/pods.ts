// Pods for tests of the activator under load: servers of HTTP/1.1 and h2c at one port that count
// what they receive, by the number that each request carries, and take as long as they are told.
// Who wants another protocol gets back what it sends.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  createServer as createHttp2,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import { type AddressInfo, createServer as createRaw, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';

/** What all pods of a test have received. */
export class Ledger {
  /** How often, by the number of the request. */
  readonly received = new Map<string, number>();
  /** Most requests that one pod had at once. */
  most = 0;
  running = 0;

  receive(number: string): void {
    this.received.set(number, (this.received.get(number) ?? 0) + 1);
  }

  get twice(): readonly string[] {
    return [...this.received].flatMap(([number, times]) => (times > 1 ? [number] : []));
  }
}

export class Pod {
  readonly id: string;
  readonly #ledger: Ledger;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port = 0;
  #inFlight = 0;
  #received = 0;

  /** `workMs`: how long each request takes. */
  constructor(id: string, ledger: Ledger, workMs: () => number) {
    this.id = id;
    this.#ledger = ledger;
    const http1 = createServer((request, response) => {
      void this.#answer(request, response, workMs());
    });
    // Whoever proxies keeps connections as long as it likes.
    http1.keepAliveTimeout = 0;
    http1.on('upgrade', (request, socket) => {
      this.#switch(request, socket);
    });
    const http2 = createHttp2((request, response) => {
      void this.#answer(request, response, workMs());
    });
    http2.on('sessionError', () => undefined);
    this.#server = createRaw((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => this.#sockets.delete(socket));
      socket.once('readable', () => {
        const first: unknown = socket.read();
        if (!(first instanceof Buffer)) return;
        socket.unshift(first);
        (first.toString('latin1').startsWith('PRI') ? http2 : http1).emit('connection', socket);
      });
    });
  }

  /** On a port of the caller's choice, or on any. */
  async listen(port = 0): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', resolve);
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  get port(): number {
    return this.#port;
  }

  get dest(): string {
    return `127.0.0.1:${this.port}`;
  }

  get received(): number {
    return this.#received;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** As by kill -9: whatever runs is cut off. */
  async kill(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.resetAndDestroy();
    await closed;
  }

  async #answer(
    request: IncomingMessage | Http2ServerRequest,
    response: ServerResponse | Http2ServerResponse,
    workMs: number,
  ): Promise<void> {
    const number = String(request.headers['x-number']);
    const over = this.#begin(number);
    let isGone = false;
    response.on('close', () => {
      isGone = true;
      over();
    });
    request.on('error', () => undefined);
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return;
    await new Promise((resolve) => setTimeout(resolve, workMs));
    if (isGone) return;
    // Over before the client can know it, as a pod that counts its requests has it.
    over();
    const headers = { 'x-number': number, 'x-pod': this.id };
    if ('stream' in response) response.writeHead(200, headers).end(body);
    else response.writeHead(200, headers).end(body);
  }

  #switch({ headers }: IncomingMessage, socket: Duplex): void {
    const over = this.#begin(String(headers['x-number']));
    socket.on('error', () => socket.destroy());
    socket.once('close', over);
    const lines = 'connection: upgrade\r\nupgrade: echo\r\n';
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines}x-pod: ${this.id}\r\n\r\n`);
    socket.pipe(socket);
  }

  /** The result ends it, once. */
  #begin(number: string): () => void {
    this.#received += 1;
    this.#inFlight += 1;
    this.#ledger.running += 1;
    this.#ledger.receive(number);
    this.#ledger.most = Math.max(this.#ledger.most, this.#inFlight);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#inFlight -= 1;
      this.#ledger.running -= 1;
    };
  }
}
