// The connection to NATS, kept for ever: connects, hears of the loss, connects again. Every
// connection is a new one: the client library's own reconnect keeps an unbounded buffer and then
// throws it away, hides why it fails, and can wait for ever on a socket that is full.
import { connect, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import type { Clock, Random } from '#actors/ports.ts';
import { decodeErrorText } from '#bus/decoded.ts';
import type { Log } from '#bus/handlers.ts';
import { Flow } from './flow.ts';
import { clientOptions, type NatsOptions } from './options.ts';
import { parseServer, probe } from './probe.ts';

export interface LinkPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface LinkEvents {
  /** A new connection is live; perhaps with another server, or one that was wiped. Subscribe. */
  readonly up: (connection: NatsConnection) => void;
  readonly down: () => void;
  /** The connection takes messages again after it had taken too many. */
  readonly room: () => void;
}

/** Different problems that are logged between two connections. */
const maxLogged = 20;

/** The library pings as well, and may be the first to notice. */
const silent = 'the server does not answer pings';

interface Live {
  readonly connection: NatsConnection;
  readonly flow: Flow;
}

export class Link {
  readonly #options: NatsOptions;
  readonly #ports: LinkPorts;
  readonly #events: LinkEvents;
  #live: Live | null = null;
  #closed = false;
  /** How often a live connection was lost. */
  losses = 0;
  /** The last thing that went wrong; null while there was nothing since the connection is live. */
  problem: string | null = null;
  /** What was logged since the connection was last live. */
  readonly #logged = new Set<string>();
  #wake: () => void = () => undefined;

  constructor(options: NatsOptions, ports: LinkPorts, events: LinkEvents) {
    this.#options = options;
    this.#ports = ports;
    this.#events = events;
    void this.#run();
  }

  /** The live connection. */
  get connection(): NatsConnection | null {
    return this.#live?.connection ?? null;
  }

  /** True while the live connection may be given more. */
  get hasRoom(): boolean {
    return this.#live?.flow.hasRoom ?? false;
  }

  get roundTripMs(): number | null {
    return this.#live?.flow.roundTripMs ?? null;
  }

  /** False: not now, or never (larger than this server takes). Never throws. */
  publish(subject: string, payload: Uint8Array, headers?: MsgHdrs): boolean {
    if (this.#live === null || !this.#live.flow.hasRoom) return false;
    try {
      this.#live.connection.publish(subject, payload, headers && { headers });
    } catch (error) {
      this.#note(textOf(error));
      return false;
    }
    this.#live.flow.sent(subject.length + payload.length);
    return true;
  }

  /** Sends what was published, if that takes no longer than `graceMs`, and ends. */
  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    this.#wake();
    const live = this.#live;
    if (live === null) return;
    await this.#within(graceMs, live.connection.flush());
    this.#down(live);
    await this.#within(graceMs, live.connection.close());
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      const connection = await this.#connect();
      if (connection !== null) {
        // Nothing in there should throw; if it does, that costs this connection and no more.
        await this.#follow(connection).catch((error: unknown) => {
          this.#note(textOf(error));
          return connection.close();
        });
      }
      if (!this.#closed) await this.#pause();
    }
  }

  /** One attempt at every server, beginning with any. */
  async #connect(): Promise<NatsConnection | null> {
    const { servers } = this.#options;
    const first = Math.floor(this.#ports.random.next() * servers.length);
    for (let index = 0; index < servers.length && !this.#closed; index++) {
      const server = servers[(first + index) % servers.length] ?? '';
      const connection = await this.#connectTo(server);
      if (connection === null) continue;
      if (!this.#closed) return connection;
      await connection.close();
    }
    return null;
  }

  async #connectTo(server: string): Promise<NatsConnection | null> {
    const address = parseServer(server);
    if (!address.ok) return this.#note(decodeErrorText(address));
    const problem = await probe(address.value, this.#options, this.#ports.clock);
    if (problem !== null) return this.#note(problem);
    if (this.#closed) return null;
    try {
      return await connect(clientOptions(this.#options, address.value));
    } catch (error) {
      return this.#note(`${server}: ${textOf(error)}`);
    }
  }

  /** From live to lost. */
  async #follow(connection: NatsConnection): Promise<void> {
    const live: Live = { connection, flow: this.#flowOf(connection) };
    this.#live = live;
    this.problem = null;
    this.#logged.clear();
    this.#ports.log('info', 'connected to NATS', { server: connection.getServer() });
    try {
      this.#events.up(connection);
      for await (const status of connection.status()) {
        if (status.type === 'error') this.#note(status.error.message);
        else if (status.type === 'staleConnection') this.#note(silent);
        else if (status.type === 'disconnect') this.#down(live);
      }
      const reason = await connection.closed();
      if (reason instanceof Error) this.#note(reason.message);
    } finally {
      this.#down(live);
    }
  }

  #flowOf(connection: NatsConnection): Flow {
    return new Flow(this.#options, {
      clock: this.#ports.clock,
      ping: () => connection.flush(),
      onRoom: () => this.#events.room(),
      // Closing destroys the socket at once, however full it is.
      onStale: () => {
        this.#note(silent);
        void connection.close();
      },
    });
  }

  #down(live: Live): void {
    if (this.#live !== live) return;
    live.flow.stop();
    this.#live = null;
    this.losses++;
    if (!this.#closed && this.problem === null) this.#note('lost the connection');
    this.#events.down();
  }

  /** Each problem is logged once: attempts go on for ever and shall not fill a disk. */
  #note(problem: string): null {
    this.problem = problem;
    if (this.#logged.has(problem) || this.#logged.size >= maxLogged) return null;
    this.#logged.add(problem);
    this.#ports.log('warn', 'trouble with NATS', { problem });
    return null;
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

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
