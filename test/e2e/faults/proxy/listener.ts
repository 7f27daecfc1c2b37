// The near side of both proxies: a port that is kept while nobody listens on it, and the sockets
// that are open, so that they can be cut. Called by api-proxy.ts and tcp-proxy.ts.
import type { Server, Socket } from 'node:net';
import { freePort } from '#test/support/ports.ts';

export class Listener {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port = 0;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  get port(): number {
    return this.#port;
  }

  /** Open connections. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** On any free port the first time, on the same one ever after. */
  async open(): Promise<void> {
    if (this.#port === 0) this.#port = await freePort();
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#port, '127.0.0.1', () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
  }

  /** Refuses connections from now on, and resets those that are open. */
  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    this.cut();
    return closed;
  }

  /** Resets every open connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }
}
