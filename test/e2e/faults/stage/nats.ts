// A NATS server of a scenario's own, with a proxy in front of it: stopped, started, wiped, given an
// older store, cut off. scene.ts makes one for the scenarios that ask for it.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type NatsConnection, connect } from '@nats-io/transport-node';
import { at, list } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { NatsServer } from '#src/natsserver/process.ts';
import { startTestServer } from '#test/support/nats.ts';
import { TcpProxy } from '../proxy/tcp-proxy.ts';

export class NatsUnderTest {
  readonly #folder: string;
  readonly #clients: NatsConnection[] = [];
  #server: NatsServer | undefined;
  #proxy: TcpProxy | undefined;

  constructor(folder: string) {
    this.#folder = mkdtempSync(join(folder, 'nats-'));
  }

  get proxy(): TcpProxy {
    if (this.#proxy === undefined) throw new Error('NATS has not been started');
    return this.#proxy;
  }

  /** Through the proxy: what the controller connects to. */
  get url(): string {
    return `nats://127.0.0.1:${this.proxy.port}`;
  }

  /** Of the server itself. */
  get port(): number {
    if (this.#server === undefined) throw new Error('NATS is stopped');
    return this.#server.port;
  }

  /** Bytes that wait at the server for the client that reads least. */
  async pendingBytes(): Promise<number> {
    const reply = await fetch(`${this.#server?.monitorUrl}/connz`);
    const connections = list(at(await reply.json(), 'connections'));
    return Math.max(0, ...connections.map((one) => Number(at(one, 'pending_bytes'))));
  }

  /** `settings` of the server's configuration file; they hold until it is stopped. */
  async start(settings: JsonObject = {}): Promise<void> {
    this.#server = await startTestServer({ dataDir: this.#data, settings });
    // While the server is stopped, connections through the proxy end at a port that refuses.
    this.#proxy ??= await TcpProxy.start(() => this.#server?.port ?? 1);
  }

  async stop(): Promise<void> {
    for (const client of this.#clients.splice(0)) await client.close();
    await this.#server?.stop();
    this.#server = undefined;
  }

  /** Everything that the server keeps is gone. To be called while it is stopped. */
  wipe(): void {
    rmSync(this.#data, { recursive: true, force: true });
  }

  /** Copies what the server keeps. To be called while it is stopped. */
  keep(): void {
    cpSync(this.#data, this.#kept, { recursive: true });
  }

  /** Puts the copy in the place of what is there. To be called while the server is stopped. */
  putBack(): void {
    this.wipe();
    cpSync(this.#kept, this.#data, { recursive: true });
  }

  /** A client of the server, around the proxy. */
  async client(): Promise<NatsConnection> {
    const client = await connect({ servers: `127.0.0.1:${this.port}` });
    this.#clients.push(client);
    return client;
  }

  async end(): Promise<void> {
    await this.stop();
    await this.#proxy?.end();
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }
  get #kept(): string {
    return join(this.#folder, 'kept');
  }
}
