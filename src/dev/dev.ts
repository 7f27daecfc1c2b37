// `coppice dev` (which is `npm start`): NATS, the embedded cluster and the controller in one
// command, something to look at, and the words to go on. Everything is stopped in reverse, whatever
// happens.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitCodes } from '#src/cli/commands.ts';
import { stopSignal } from '#src/cli/signals.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import { loadConfiguration } from '#src/config/load.ts';
import type { Configuration } from '#src/config/schema.ts';
import { startController } from '#src/controller/start.ts';
import { createCluster } from '#src/devcluster/cluster.ts';
import { createKubeClient } from '#src/kube/client.ts';
import { loadConnection } from '#src/kube/config.ts';
import { httpTransport } from '#src/kube/http.ts';
import { createLog } from '#src/log/log.ts';
import { findNatsServer } from '#src/natsserver/binary.ts';
import { startNatsServer } from '#src/natsserver/process.ts';
import { systemClock, systemIds, systemRandom } from '#src/time/clock.ts';
import { apply, readManifests } from './apply.ts';
import { installCrds } from './crds.ts';
import { lockFolder } from './lock.ts';
import { Scene } from './scene.ts';
import { show } from './show.ts';
import { nextSteps } from './view.ts';

export interface DevFlags {
  readonly apply: readonly string[];
  readonly 'exit-when-ready': boolean;
  readonly 'ready-timeout': number;
  readonly nodes: number;
  readonly data: string;
  readonly 'no-nats': boolean;
  readonly config: string | undefined;
  readonly 'api-port': number;
  readonly 'nats-port': number;
  readonly 'http-port': number;
}

const sample = fileURLToPath(new URL('./demo.yaml', import.meta.url));
const shown = ['PodCliqueSet', 'PodClique', 'PodGang', 'Pod'] as const;

/** Resolves with the exit code. Rejects with a message for people when something does not start. */
export async function runDev(flags: DevFlags, version: string): Promise<number> {
  const ends: (() => unknown)[] = [];
  const signal = stopSignal();
  try {
    return await started(flags, version, { ends, signal });
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

interface Life {
  readonly ends: (() => unknown)[];
  readonly signal: Promise<NodeJS.Signals>;
}

async function started(flags: DevFlags, version: string, { ends, signal }: Life): Promise<number> {
  // Read first: what cannot be applied should be said before anything is started.
  const files = flags.apply.length > 0 ? flags.apply : [sample];
  const manifests = (await Promise.all(files.map(readManifests))).flat();
  const configured =
    flags.config === undefined ? defaultConfiguration : await loadConfiguration(flags.config);
  const folder = resolve(flags.data);
  mkdirSync(folder, { recursive: true });
  ends.push(lockFolder(folder));
  const log = createLog({
    ...configured.log,
    destination: join(folder, 'controller.log'),
    now: systemClock.now,
  });
  ends.push(() => log.close());

  const nats = flags['no-nats'] ? undefined : await startNats(folder, flags['nats-port']);
  if (nats !== undefined) ends.push(() => nats.stop());
  const cluster = createCluster({
    clock: systemClock,
    random: systemRandom,
    nodes: flags.nodes,
    dataDir: folder,
    log: log.line,
  });
  ends.push(() => cluster.stop());
  await cluster.start();
  const { url, kubeconfigPath } = await cluster.listen({ port: flags['api-port'] });
  const kubeconfig = kubeconfigPath ?? join(folder, 'kubeconfig');
  const connection = await loadConnection({ file: kubeconfig }, systemClock);
  const user = httpTransport(connection, { userAgent: `coppice-dev/${version}` });
  ends.push(() => user.close());
  await installCrds(user);

  const configuration = forDev(configured, flags, nats?.url);
  const ports = { clock: systemClock, random: systemRandom, ids: systemIds() };
  const controller = await startController({ configuration, connection, log, version, ...ports });
  ends.push(() => controller.stop());
  await controller.synced;

  const scene = new Scene();
  const client = createKubeClient({ transport: user, ...ports, log: log.line, host: user.host });
  const reflection = client.reflect(shown, (observation) => scene.observe(observation));
  ends.push(() => reflection.stop());
  await reflection.synced;
  const applied = await applyAll(user, manifests);
  const places = { kubeconfig, api: url, nats: nats?.url, http: controller.healthUrl };
  const ready = await show(scene, {
    wanted: applied.sets,
    stopped: signal,
    steps: nextSteps(places, applied.sets[0] ?? 'default/demo'),
    untilReady: flags['exit-when-ready'],
    timeoutMs: flags['ready-timeout'] * 1000,
  });
  return ready ? exitCodes.ok : exitCodes.notReady;
}

async function startNats(folder: string, port: number): ReturnType<typeof startNatsServer> {
  const { path } = await findNatsServer();
  return startNatsServer({ binary: path, dataDir: join(folder, 'nats'), port });
}

/** Everything on loopback, health and metrics on one port, the NATS that was started. */
function forDev(
  configured: Configuration,
  flags: DevFlags,
  nats: string | undefined,
): Configuration {
  const port = flags['http-port'];
  return {
    ...configured,
    bus: {
      ...configured.bus,
      enabled: nats !== undefined,
      servers: nats === undefined ? [] : [nats],
    },
    server: { bindAddress: '127.0.0.1', healthPort: port, metricsPort: port },
  };
}

async function applyAll(
  user: Parameters<typeof apply>[0],
  manifests: readonly Parameters<typeof apply>[1][],
): Promise<{ readonly sets: readonly string[] }> {
  const sets: string[] = [];
  for (const manifest of manifests) {
    const key = await apply(user, manifest);
    if (manifest.kind === 'PodCliqueSet') sets.push(key);
  }
  return { sets };
}
