// A place to measure in, fresh for each run: a cluster, NATS, an observer and as many lives of the
// controller as wanted, each a process of its own so that CPU and memory can be told apart. A site
// is the same without the observer, for benchmarks that look on by themselves.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { loadConnection } from '#src/kube/connect/config.ts';
import { type HttpTransport, httpTransport } from '#src/kube/transport/http.ts';
import { findNatsServer } from '#src/natsserver/binary.ts';
import { startNatsServer } from '#src/natsserver/process.ts';
import { systemClock } from '#src/time/clock.ts';
import { grantChart } from '#test/cluster/chart.ts';
import type { Limit } from '#test/cluster/commands.ts';
import type { Scene } from '#test/support/evidence.ts';
import { Programs } from '#test/support/program.ts';
import { Controller } from './controller.ts';
import { type Ground, type GroundOptions, startGround } from './ground.ts';
import { Observer } from './observer/process.ts';
import type { Product } from './product.ts';
import { add, type RequestCounts } from './requests.ts';
import { Undoing } from './undoing.ts';
import { type Usages, usagesOf } from './usage.ts';
import { openNamespace, namespace } from './workload.ts';

export interface WorldOptions extends GroundOptions {
  /** Client limits of the controller, per kind; absent: none. */
  readonly limit?: Limit | undefined;
  /** Requests of the controller in flight; absent: its default. */
  readonly inFlight?: number | undefined;
  readonly product: Product;
  /** Of the controller's configuration, beside what every benchmark has there. */
  readonly configuration?: JsonObject | undefined;
  /** Variables that the controller gets besides ours. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Controllers have the permissions that the chart grants; absent: all. Real cluster only. */
  readonly isGranted?: boolean | undefined;
  /** The inspector of the controller is open. */
  readonly isInspected?: boolean | undefined;
  /** For each milestone. */
  readonly patienceSeconds?: number | undefined;
}

/** Without anybody who looks on. */
export interface Site extends Pick<Ground, 'kubeconfig' | 'audited'> {
  readonly client: HttpTransport;
  /** Another connection with so many sockets, closed with the world. */
  connect(sockets: number): HttpTransport;
  /** Starts a controller and resolves when it is ready; more than one at once need leases. */
  startController(): Promise<Controller>;
  /** Requests of controllers so far. */
  requests(): Promise<RequestCounts>;
  /** Everything that runs, by name; controllers are the last ones. */
  processes(): ReadonlyMap<string, number>;
  /** Of the controller that runs, if it can be asked for profiles. */
  inspector(): string | undefined;
  /** For the evidence of a failure. */
  readonly scene: Scene;
  stop(): Promise<void>;
}

export interface World extends Site {
  readonly observer: Observer;
  /** Of every process. */
  usages(): Promise<Usages>;
}

/** Rejects when something does not come up, and leaves nothing. */
export const startWorld = (options: WorldOptions): Promise<World> =>
  Undoing.of(async (undoing) => {
    const site = await assemble(options, undoing);
    const observer = await Observer.start(site.kubeconfig, namespace, options.patienceSeconds);
    undoing.add(() => observer.stop());
    const processes = () => new Map([...site.processes(), ['observer', observer.pid] as const]);
    return { ...site, observer, processes, usages: () => usagesOf(processes()) };
  });

/** The same. */
export const startSite = (options: WorldOptions): Promise<Site> =>
  Undoing.of((undoing) => assemble(options, undoing));

async function assemble(options: WorldOptions, undoing: Undoing): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-bench-'));
  undoing.add(() => rm(folder, { recursive: true, force: true }));
  const { product } = options;
  const { path } = await findNatsServer();
  const nats = await startNatsServer({ binary: path, dataDir: join(folder, 'nats') });
  undoing.add(() => nats.stop());
  const ground = await startGround(folder, options);
  undoing.add(() => ground.stop());
  const connection = await loadConnection({ file: ground.kubeconfig }, systemClock);
  const connect = (sockets: number): HttpTransport => {
    const transport = httpTransport(connection, { userAgent: 'coppice-bench', sockets });
    undoing.add(() => transport.close());
    return transport;
  };
  const client = connect(4);
  await openNamespace(client, namespace);
  const configuration = join(folder, 'controller.json');
  await writeFile(configuration, JSON.stringify(configurationOf(nats.url, options)));
  const programs = new Programs();
  undoing.add(() => programs.end());
  const files = {
    product,
    configuration,
    kubeconfig: options.isGranted
      ? await grantChart({ admin: client, kubeconfig: ground.kubeconfig, folder })
      : ground.controllerKubeconfig,
    isInspected: options.isInspected,
    environment: options.environment,
  };
  const lives: Controller[] = [];
  return {
    kubeconfig: ground.kubeconfig,
    audited: ground.audited,
    client,
    scene: { client, nats: nats.url, clusterFolder: ground.folder },
    connect,
    startController: async () => {
      const controller = await Controller.start(programs, files);
      lives.push(controller);
      return controller;
    },
    inspector: () => lives.at(-1)?.inspector,
    requests: () => requestsOf(ground, lives),
    processes: () => pidsOf(ground, nats.pid, lives),
    stop: () => undoing.stop(),
  };
}

export const configurationOf = (
  nats: string,
  { limit, inFlight, configuration }: Pick<WorldOptions, 'limit' | 'inFlight' | 'configuration'>,
): JsonObject => ({
  ...configuration,
  apiVersion: 'coppice.dev/v1alpha1',
  kind: 'CoppiceConfiguration',
  bus: { servers: [nats] },
  server: { bindAddress: '127.0.0.1', healthPort: 0, metricsPort: 0 },
  clientConnection: { ...limit, ...(inFlight === undefined ? {} : { maxInFlight: inFlight }) },
});

/** The server's count where there is one, else the controllers' own, all lives together. */
async function requestsOf(ground: Ground, lives: readonly Controller[]): Promise<RequestCounts> {
  if (ground.requests !== undefined) return ground.requests();
  return (await Promise.all(lives.map((life) => life.requests()))).reduce(add, {});
}

/** Of several controllers at once the second is `controller_2`. */
function pidsOf(
  ground: Ground,
  nats: number,
  lives: readonly Controller[],
): ReadonlyMap<string, number> {
  const pids = new Map([...ground.processes(), ['nats', nats]] as const);
  const alive = lives.filter(({ isOver }) => !isOver);
  for (const [index, { pid }] of alive.entries()) {
    pids.set(index === 0 ? 'controller' : `controller_${index + 1}`, pid);
  }
  return pids;
}
