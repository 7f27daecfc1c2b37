// Pods for tests of the activator under load: HTTP servers that count what they receive, by the
// number that each request carries, and take as long as they are told.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
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
    this.#server = createServer((request, response) => {
      void this.#answer(request, response, workMs());
    });
    // Whoever proxies keeps connections as long as it likes.
    this.#server.keepAliveTimeout = 0;
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
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

  async #answer(request: IncomingMessage, response: ServerResponse, workMs: number): Promise<void> {
    const number = String(request.headers['x-number']);
    this.#begin(number);
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      this.#inFlight -= 1;
      this.#ledger.running -= 1;
    };
    response.on('close', end);
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return;
    await new Promise((resolve) => setTimeout(resolve, workMs));
    if (response.destroyed) return;
    // Over before the client can know it, as a pod that counts its requests has it.
    end();
    response.writeHead(200, { 'x-number': number, 'x-pod': this.id }).end(body);
  }

  #begin(number: string): void {
    this.#received += 1;
    this.#inFlight += 1;
    this.#ledger.running += 1;
    this.#ledger.receive(number);
    this.#ledger.most = Math.max(this.#ledger.most, this.#inFlight);
  }
}
