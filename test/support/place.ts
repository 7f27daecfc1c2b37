// A place for tests of real processes: the embedded cluster over HTTPS, a nats-server and, as often
// as wanted, the controller, each a process of its own; and a client that looks on.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { object } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { loadConnection } from '#src/kube/connect/config.ts';
import type { KubeConnection } from '#src/kube/connect/connection.ts';
import { type HttpTransport, httpTransport } from '#src/kube/transport/http.ts';
import type { NatsServer } from '#src/natsserver/process.ts';
import { systemClock } from '#src/time/clock.ts';
import { natsSkip, startTestServer } from './nats.ts';
import { freePort } from './ports.ts';
import { Onlooker } from '#src/bench/onlooker.ts';
import { type Program, Programs } from './program.ts';

export interface Running {
  readonly program: Program;
  /** `http://127.0.0.1:port` of health and metrics. */
  readonly url: string;
}

/** Started by `start`; `end` belongs in an `afterAll`, whatever `start` came to. */
export class Place {
  readonly folder = mkdtempSync(join(tmpdir(), 'coppice-place-'));
  readonly programs = new Programs();
  readonly #ends: (() => unknown)[] = [];
  #parts: Parts | undefined;

  get kubeconfig(): string {
    return this.#started.kubeconfig;
  }
  get connection(): KubeConnection {
    return this.#started.connection;
  }
  get client(): HttpTransport {
    return this.#started.client;
  }
  get onlooker(): Onlooker {
    return this.#started.onlooker;
  }
  /** Undefined where this machine has no nats-server. */
  get nats(): NatsServer | undefined {
    return this.#started.nats;
  }

  async start({ nodes = 100 } = {}): Promise<void> {
    const flags = ['--nodes', String(nodes), '--data', this.folder, '--port', '0'];
    const cluster = this.programs.coppice('cluster', ...flags);
    const natsPort = await freePort();
    const nats = natsSkip === '' ? await this.#startNats(natsPort) : undefined;
    const [, kubeconfig = ''] = await cluster.line(/^export KUBECONFIG=(.+)$/);
    const connection = await loadConnection({ file: kubeconfig }, systemClock);
    const client = httpTransport(connection, { userAgent: 'coppice-test' });
    const onlooker = new Onlooker(client);
    this.#ends.push(() => client.close());
    this.#ends.push(() => onlooker.stop());
    this.#parts = { cluster, kubeconfig, connection, client, onlooker, nats, natsPort };
  }

  /** Runs `coppice controller` with these settings over those of the place; not synced yet.
   *  `preload`: URL of a module that is loaded before it. */
  async controller(
    settings: JsonObject = {},
    { kubeconfig = this.kubeconfig, preload }: { kubeconfig?: string; preload?: string } = {},
  ): Promise<Running> {
    const flags = ['--config', this.writeConfiguration(settings), '--kubeconfig', kubeconfig];
    const program =
      preload === undefined
        ? this.programs.coppice('controller', ...flags)
        : this.programs.preloaded(preload, 'controller', ...flags);
    const [, url = ''] = await program.line(/"health":"([^"]+)"/);
    return { program, url };
  }

  /** Writes a configuration file for this place and returns its name. */
  writeConfiguration(settings: JsonObject = {}): string {
    const file = join(this.folder, 'controller.json');
    const configuration = {
      apiVersion: 'coppice.dev/v1alpha1',
      kind: 'CoppiceConfiguration',
      bus: this.#bus(),
      server: { bindAddress: '127.0.0.1', healthPort: 0, metricsPort: 0 },
      ...settings,
    };
    writeFileSync(file, JSON.stringify(configuration));
    return file;
  }

  /** Requests of controllers so far by "verb resource code", as the server counts them. */
  async requests(): Promise<Readonly<Record<string, unknown>>> {
    return object(object(await this.#started.cluster.ask({ ask: 'requests' }))['requests']);
  }

  /** SIGKILL for NATS, its memory and files gone, and another start on the same port. */
  async wipeNats(): Promise<void> {
    const parts = this.#started;
    const { nats } = parts;
    if (nats === undefined) return;
    process.kill(nats.pid, 'SIGKILL');
    await nats.exited;
    rmSync(join(this.folder, 'nats'), { recursive: true, force: true });
    parts.nats = await this.#startNats(parts.natsPort);
  }

  async end(): Promise<void> {
    for (const end of this.#ends.splice(0).toReversed()) await end();
    await this.programs.end();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #startNats(port: number): Promise<NatsServer> {
    const nats = await startTestServer({ dataDir: join(this.folder, 'nats'), port });
    this.#ends.push(() => nats.stop());
    return nats;
  }

  #bus(): JsonObject {
    const { nats } = this.#started;
    return nats === undefined ? { enabled: false } : { servers: [nats.url] };
  }

  get #started(): Parts {
    if (this.#parts === undefined) throw new Error('the place has not been started');
    return this.#parts;
  }
}

interface Parts {
  readonly cluster: Program;
  readonly kubeconfig: string;
  readonly connection: KubeConnection;
  readonly client: HttpTransport;
  readonly onlooker: Onlooker;
  readonly natsPort: number;
  nats: NatsServer | undefined;
}
