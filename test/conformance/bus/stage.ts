// A stage for tests with real servers: starts servers and buses, and takes everything down again.
import { vi } from 'vitest';
import type { NatsBus } from '#bus/nats/bus.ts';
import type { NatsServer, NatsServerOptions } from '#src/natsserver/process.ts';
import { startTestServer, temporaryFolder, testBus } from '#test/support/nats.ts';

type BusOptions = Parameters<typeof testBus>;

export class Stage {
  readonly #folder = temporaryFolder();
  readonly #servers: NatsServer[] = [];
  readonly #buses: NatsBus[] = [];

  /** Where the servers keep their data; one server at a time. */
  get folder(): string {
    return this.#folder.path;
  }

  async start(options: Partial<NatsServerOptions> = {}): Promise<NatsServer> {
    const server = await startTestServer({ dataDir: this.folder, ...options });
    this.#servers.push(server);
    return server;
  }

  join(...options: BusOptions): NatsBus {
    const bus = testBus(...options);
    this.#buses.push(bus);
    return bus;
  }

  /** The same, once it is connected. */
  async joined(...options: BusOptions): Promise<NatsBus> {
    const bus = this.join(...options);
    await until(() => bus.state().connected);
    return bus;
  }

  async dies(server: NatsServer): Promise<void> {
    signal(server, 'SIGKILL');
    await server.exited;
  }

  async clear(): Promise<void> {
    for (const server of this.#servers) signal(server, 'SIGCONT');
    await Promise.all(this.#buses.map((bus) => bus.close()));
    await Promise.all(this.#servers.map((server) => server.stop()));
    this.#folder.remove();
  }
}

/** Waits for a claim to become true. */
export const until = (claim: () => boolean): Promise<true> =>
  vi.waitUntil(claim, { timeout: 10_000, interval: 5 });

/** Waits for work to succeed, and returns what it then yields. */
export const eventually = <T>(work: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(work, { timeout: 10_000, interval: 10 });

/** Also to a server that has ended already. */
export function signal(server: NatsServer, name: NodeJS.Signals): void {
  try {
    process.kill(server.pid, name);
  } catch {
    // It has ended.
  }
}

/** What the server's monitoring says. */
export async function monitor(
  server: NatsServer,
  path: string,
): Promise<{ readonly [field: string]: unknown }> {
  const reply: unknown = await (await fetch(`${server.monitorUrl}/${path}`)).json();
  return typeof reply === 'object' && reply !== null ? { ...reply } : {};
}
