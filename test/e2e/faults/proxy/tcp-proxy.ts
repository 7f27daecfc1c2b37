// A proxy between a controller and NATS that knows bytes only: delays them, cuts the connections,
// stops forwarding without closing anything, or reads as slowly as a server that is overwhelmed.
import { connect, createServer, type Socket } from 'node:net';
import { Lag } from './lag.ts';
import { Listener } from './listener.ts';

/** Each way of each connection obeys what holds for the whole proxy. */
interface Way {
  readonly from: Socket;
  readonly to: Socket;
}

export class TcpProxy {
  readonly #target: () => number;
  readonly #listener: Listener;
  readonly #ways = new Set<Way>();
  #delayMs = 0;
  /** True: bytes are taken and thrown away, so that neither side notices. */
  #isPartitioned = false;
  /** True: no byte of the client is read, so that its buffers fill. */
  #isDeaf = false;

  private constructor(target: () => number) {
    this.#target = target;
    this.#listener = new Listener(createServer((near) => this.#join(near)));
  }

  /** `target`: the port on loopback, asked at every connection: a server may come back on
   *  another. */
  static async start(target: () => number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await proxy.back();
    return proxy;
  }

  get port(): number {
    return this.#listener.port;
  }

  /** Clients that are connected. */
  get connections(): number {
    return this.#listener.connections;
  }

  /** From now on, for bytes of both ways. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** Forwards nothing and closes nothing, for connections that are open and those that come. */
  partition(): void {
    this.#isPartitioned = true;
  }

  /** Reads nothing of what the clients send. */
  deafen(): void {
    this.#isDeaf = true;
    for (const { from } of this.#fromClients()) from.pause();
  }

  /** Ends delay, partition and deafness. Connections that lost bytes are reset. */
  heal(): void {
    this.#delayMs = 0;
    this.#isDeaf = false;
    for (const { from } of this.#fromClients()) from.resume();
    if (this.#isPartitioned) this.cut();
    this.#isPartitioned = false;
  }

  cut(): void {
    this.#listener.cut();
  }
  away(): Promise<void> {
    return this.#listener.close();
  }
  back(): Promise<void> {
    return this.#listener.open();
  }
  end(): Promise<void> {
    return this.away();
  }

  #fromClients(): readonly Way[] {
    return [...this.#ways].filter(({ from }) => from.localPort === this.port);
  }

  #join(near: Socket): void {
    const far = connect(this.#target(), '127.0.0.1');
    far.on('error', () => near.destroy());
    far.once('close', () => near.destroy());
    near.once('close', () => far.destroy());
    this.#pass({ from: near, to: far });
    this.#pass({ from: far, to: near });
    if (this.#isDeaf) near.pause();
  }

  #pass(way: Way): void {
    const { from, to } = way;
    const lag = new Lag<Buffer>((chunk) => {
      if (to.destroyed || to.write(chunk)) return;
      from.pause();
      to.once('drain', () => this.#isDeaf || from.resume());
    });
    this.#ways.add(way);
    from.once('close', () => {
      this.#ways.delete(way);
      lag.drop();
    });
    from.on('data', (chunk: Buffer) => {
      if (!this.#isPartitioned) lag.put(chunk, this.#delayMs);
    });
  }
}
