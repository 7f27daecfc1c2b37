// The connection to NATS, kept for ever: connects, hears of losses, connects again. Within one
// connection object the library reconnects by itself; where that can hang (see `#giveUp`) the object
// is thrown away and a new one made. nats.ts is told of both and hangs its subscriptions on them.
import type { NatsConnection, Status } from '@nats-io/transport-node';
import { connect } from '@nats-io/transport-node';
import type { Clock, Random } from '#actors/ports.ts';
import type { Log } from '#bus/desk.ts';
import { Flow } from './flow.ts';
import type { NatsOptions } from './options.ts';
import { clientOptions } from './options.ts';

export interface LinkPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface LinkEvents {
  /** A new connection object: subscribe. It stays the same over the library's reconnects. */
  readonly attached: (connection: NatsConnection) => void;
  /** Live, for the first time or again; perhaps with another server, or one that was wiped. */
  readonly up: (connection: NatsConnection) => void;
  /** The connection takes messages again after it had taken too many. */
  readonly room: () => void;
}

export class Link {
  readonly #options: NatsOptions;
  readonly #ports: LinkPorts;
  readonly #events: LinkEvents;
  #connection: NatsConnection | null = null;
  /** There while the connection is live. */
  #flow: Flow | null = null;
  #closed = false;
  #losses = 0;
  #lastError: string | null = null;
  #wake: (() => void) | null = null;

  constructor(options: NatsOptions, ports: LinkPorts, events: LinkEvents) {
    this.#options = options;
    this.#ports = ports;
    this.#events = events;
    void this.#run();
  }

  get isUp(): boolean {
    return this.#flow !== null;
  }

  /** Of the live connection. */
  get roundTripMs(): number | null {
    return this.#flow?.roundTripMs ?? null;
  }

  /** How often a live connection was lost. */
  get losses(): number {
    return this.#losses;
  }

  /** Why there is, or last was, no connection. */
  get lastError(): string | null {
    return this.#lastError;
  }

  /** The connection object, live or not. */
  get connection(): NatsConnection | null {
    return this.#connection;
  }

  get hasRoom(): boolean {
    return this.#flow?.hasRoom ?? false;
  }

  /** False: not now, or never (larger than this server takes). Never throws. */
  publish(subject: string, payload: Uint8Array): boolean {
    const flow = this.#flow;
    if (flow === null || this.#connection === null || !flow.hasRoom) return false;
    try {
      this.#connection.publish(subject, payload);
    } catch (error) {
      this.#note(error);
      return false;
    }
    flow.sent(subject.length + payload.length);
    return true;
  }

  /** Sends what was published, if that takes no longer than `graceMs`, and ends. */
  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    this.#wake?.();
    const connection = this.#connection;
    if (connection === null) return;
    if (this.isUp) await this.#within(graceMs, connection.flush());
    this.#down();
    await this.#within(graceMs, connection.close());
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      const connection = await this.#connect();
      if (connection !== null) await this.#follow(connection);
      if (!this.#closed) await this.#pause();
    }
  }

  async #connect(): Promise<NatsConnection | null> {
    try {
      const options = clientOptions(this.#options, this.#ports.random, () => this.#closed);
      const connection = await connect(options);
      if (!this.#closed) return connection;
      await connection.close();
    } catch (error) {
      this.#note(error);
    }
    return null;
  }

  /** Until the connection object is closed, by us or by the library. */
  async #follow(connection: NatsConnection): Promise<void> {
    this.#connection = connection;
    const statuses = connection.status();
    this.#events.attached(connection);
    this.#up(connection);
    for await (const status of statuses) this.#take(connection, status);
    const reason = await connection.closed();
    if (reason instanceof Error) this.#note(reason);
    this.#down();
    this.#connection = null;
  }

  #take(connection: NatsConnection, status: Status): void {
    if (status.type === 'disconnect' || status.type === 'close') this.#down();
    else if (status.type === 'reconnect') this.#up(connection);
    else if (status.type === 'staleConnection') this.#giveUp(connection);
    else if (status.type === 'error') this.#note(status.error);
  }

  #up(connection: NatsConnection): void {
    this.#flow?.stop();
    const { pingIntervalMs, maxPingOut } = this.#options;
    this.#flow = new Flow(
      { pingIntervalMs, maxPingOut },
      {
        clock: this.#ports.clock,
        ping: () => connection.flush(),
        onRoom: this.#events.room,
        onStale: () => this.#giveUp(connection),
      },
    );
    this.#ports.log('info', 'connected to NATS', { server: connection.getServer() });
    this.#events.up(connection);
  }

  #down(): void {
    if (this.#flow === null) return;
    this.#flow.stop();
    this.#flow = null;
    this.#losses++;
    if (!this.#closed) this.#ports.log('warn', 'lost the connection to NATS', {});
  }

  /** A stale connection is closed, not reconnected: before it reconnects, the library waits for a
   *  last write to a socket that may be full for ever. Closing destroys the socket at once. */
  #giveUp(connection: NatsConnection): void {
    if (this.#connection !== connection || connection.isClosed()) return;
    this.#note(new Error('the server does not answer pings'));
    this.#down();
    void connection.close().catch(() => undefined);
  }

  /** Logged when it changes: attempts go on for ever and shall not fill a disk. */
  #note(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    if (text === this.#lastError) return;
    this.#lastError = text;
    this.#ports.log('warn', 'trouble with NATS', { error: text });
  }

  #pause(): Promise<void> {
    const { clock, random } = this.#ports;
    const { reconnectWaitMs, reconnectJitterMs } = this.#options;
    const until = clock.now() + reconnectWaitMs + random.next() * reconnectJitterMs;
    return new Promise((resolve) => {
      const cancel = clock.at(until, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Waits for a promise, but not for ever, and not for its success. */
  #within(limitMs: number, work: Promise<unknown>): Promise<void> {
    const { clock } = this.#ports;
    return new Promise((resolve) => {
      const cancel = clock.at(clock.now() + limitMs, resolve);
      const finish = (): void => {
        cancel();
        resolve();
      };
      work.then(finish, finish);
    });
  }
}
