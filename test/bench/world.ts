// A place to measure in: a cluster, NATS and the controller, each a process of its own, so that CPU
// and memory can be told apart. Two clusters: the embedded one and the real control plane.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '#src/bundle/build.ts';
import { installCrds } from '#src/dev/crds.ts';
import { loadConnection } from '#src/kube/config.ts';
import { type HttpTransport, httpTransport } from '#src/kube/http.ts';
import { findNatsServer } from '#src/natsserver/binary.ts';
import { startNatsServer } from '#src/natsserver/process.ts';
import { systemClock } from '#src/time/clock.ts';
import type { Limit } from '#test/cluster/commands.ts';
import { down, up } from '#test/cluster/up.ts';
import { auditCounts } from './audit.ts';
import { type Measured, measured } from './process.ts';
import type { RequestCounts } from './requests.ts';

export interface World {
  readonly client: HttpTransport;
  /** Starts a controller and resolves when it is synced. */
  startController(): Promise<Measured>;
  /** Requests of controllers so far, as the server counted them. */
  requests(): Promise<RequestCounts>;
  stop(): Promise<void>;
}

/** As good as none, in the components that know no other way to say so. */
export const unlimited: Limit = { qps: 5000, burst: 10_000 };

export interface WorldOptions {
  readonly cluster: 'embedded' | 'real';
  readonly nodes: number;
  /** Client limits of the controller per kind; absent: none. */
  readonly limit?: Limit | undefined;
  /** For the real cluster, as Kubernetes ships and as Grove publishes its figures. */
  readonly schedulerLimit?: Limit | undefined;
  readonly managerLimit?: Limit | undefined;
}

/** As the image starts it: a small young generation, since most of what a watch brings dies young
 *  anyway and 134 MB of it would be the larger part of the memory. */
const nodeFlags = ['--max-semi-space-size=16', '--heap-growing-percent=60'];

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

interface Ground {
  readonly kubeconfig: string;
  readonly controllerKubeconfig: string;
  requests(): Promise<RequestCounts>;
  stop(): Promise<unknown>;
}

export async function startWorld(options: WorldOptions): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-bench-'));
  // Measured is what the image ships.
  const entry = await bundle();
  const { path } = await findNatsServer();
  const nats = await startNatsServer({ binary: path, dataDir: join(folder, 'nats') });
  const ground = await (options.cluster === 'embedded'
    ? embedded(folder, options)
    : real(folder, options));
  const connection = await loadConnection({ file: ground.kubeconfig }, systemClock);
  const client = httpTransport(connection, { userAgent: 'coppice-bench' });
  if (options.cluster === 'real') await installCrds(client);
  const config = join(folder, 'controller.json');
  await writeFile(config, JSON.stringify(configuration(nats.url, options)));
  const controllers: Measured[] = [];
  return {
    client,
    requests: () => ground.requests(),
    startController: async () => {
      const flags = ['--config', config, '--kubeconfig', ground.controllerKubeconfig];
      const controller = measured([...nodeFlags, entry, 'controller', ...flags], 'controller');
      controllers.push(controller);
      await controller.line(/controller synced/);
      return controller;
    },
    stop: async () => {
      for (const controller of controllers) await controller.kill();
      await client.close();
      await ground.stop();
      await nats.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const configuration = (nats: string, { limit }: WorldOptions): unknown => ({
  apiVersion: 'coppice.dev/v1alpha1',
  kind: 'CoppiceConfiguration',
  bus: { servers: [nats] },
  server: { bindAddress: '127.0.0.1', healthPort: 0, metricsPort: 0 },
  ...(limit === undefined ? {} : { clientConnection: limit }),
});

async function embedded(folder: string, { nodes }: WorldOptions): Promise<Ground> {
  const flags = ['--nodes', String(nodes), '--data', folder, '--port', '0'];
  const cluster = measured([main, 'cluster', ...flags], 'cluster');
  const [, kubeconfig = ''] = await cluster.line(/^export KUBECONFIG=(.+)$/);
  return {
    kubeconfig,
    controllerKubeconfig: kubeconfig,
    requests: async () =>
      ((await cluster.ask({ ask: 'requests' })) as { requests: RequestCounts }).requests,
    stop: () => cluster.stop(),
  };
}

async function real(
  folder: string,
  { nodes, schedulerLimit, managerLimit }: WorldOptions,
): Promise<Ground> {
  const place = join(folder, 'cluster');
  const state = await up({
    folder: place,
    port: 0,
    nodes,
    schedulerLimit,
    managerLimit,
    audit: true,
  });
  return {
    kubeconfig: state.kubeconfig,
    controllerKubeconfig: state.controllerKubeconfig,
    requests: async () =>
      auditCounts(await readFile(join(place, 'audit.log'), 'utf8').catch(() => '')),
    stop: () => down(place),
  };
}
