// `coppice dev` (which is `npm start`): NATS, the embedded cluster and the controller in one
// command, something to look at, and the words to go on. Everything is stopped in reverse, whatever
// happens.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { exitCodes } from '#src/cli/commands.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import { ConfigurationError, loadConfiguration } from '#src/config/load.ts';
import type { Configuration } from '#src/config/schema.ts';
import { startController } from '#src/controller/start.ts';
import { createCluster } from '#src/devcluster/cluster.ts';
import { LocalAccess } from '#src/inspector/server/local.ts';
import { createKubeClient } from '#src/kube/client.ts';
import { loadConnection } from '#src/kube/connect/config.ts';
import type { KubeConnection } from '#src/kube/connect/connection.ts';
import { type HttpTransport, httpTransport } from '#src/kube/transport/http.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { createLog, type Log } from '#src/log/log.ts';
import type { Applied, DevShow, NextSteps } from '#src/modules/edge.ts';
import { clusterPlugins, moduleEdges, servedEdges } from '#src/modules/index.ts';
import { findNatsServer } from '#src/natsserver/binary.ts';
import { NatsServerError } from '#src/natsserver/errors.ts';
import { startNatsServer } from '#src/natsserver/process.ts';
import { systemClock, systemIds, systemRandom } from '#src/time/clock.ts';
import { startTracing } from '#src/tracing/start.ts';
import { activatorIn, activatorSteps, startDevActivator } from './activator.ts';
import { localAdmission } from './admission.ts';
import { announce } from './announce.ts';
import { apply, type Manifest, readManifests } from './apply.ts';
import { installCrds } from './crds.ts';
import { dryRun } from './dry-run.ts';
import { Life } from './life.ts';
import { lockFolder } from './lock.ts';
import { nextSteps } from './next-steps.ts';
import { pageBuilder } from './page.ts';
import { refuseBusyPorts } from './ports.ts';
import { show } from './show.ts';

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
  readonly 'inspector-port': number;
  readonly 'activator-port': number;
}

/** Resolves with the exit code. Rejects with a message for people when something does not start. */
export async function runDev(flags: DevFlags, version: string): Promise<number> {
  const life = new Life();
  try {
    return await started(flags, version, life);
  } finally {
    await life.end();
  }
}

/** Nothing else in the embedded cluster looks after ComputeDomains, and daemons are simulated. */
const withoutFile: Configuration = {
  ...defaultConfiguration,
  modules: { grove: true, nvidia: true, agentsandbox: true },
  computeDomains: { ...defaultConfiguration.computeDomains, image: 'driver:simulated' },
};

const configurationOf = async ({ config }: DevFlags): Promise<Configuration> =>
  config === undefined ? withoutFile : (await loadConfiguration(config)).configuration;

/** Of all modules that are served and have something to show; at least one. */
async function showsOf(
  { config = '' }: DevFlags,
  configured: Configuration,
): Promise<readonly [DevShow, ...DevShow[]]> {
  const served = servedEdges(configured).flatMap(({ dev }) => dev ?? []);
  const [first, ...others] = await Promise.all(served.map(({ load }) => load()));
  if (first !== undefined) return [first, ...others];
  const problems = moduleEdges.flatMap(({ name, dev }) =>
    dev === undefined
      ? []
      : [`modules.${name} is false, and \`coppice dev\` shows ${dev.title}: turn it on`],
  );
  throw new ConfigurationError(config, problems);
}

async function started(flags: DevFlags, version: string, life: Life): Promise<number> {
  // Read first: what cannot be used should be said before anything is started.
  const configured = await configurationOf(flags);
  const shows = await showsOf(flags, configured);
  const manifests = await manifestsOf(flags, configured, shows[0]);
  const activator = activatorIn(manifests, flags['activator-port']);
  const folder = madeFolder(flags.data);
  life.atEnd(lockFolder(folder));
  await refuseBusyPorts(portsOf(flags, activator !== undefined));
  const destination = join(folder, 'controller.log');
  const log = createLog({ ...configured.log, destination, now: systemClock.now });
  life.atEnd(() => log.close());
  const ground = await startGround(flags, folder, { log, version, life });
  if (life.isAsked) return exitCodes.ok;

  const configuration = forDev(configured, flags, ground.nats);
  const local = new LocalAccess();
  const tracing = await startTracing({ environment: process.env, log, version, ...ports() });
  const controller = await startController({
    ...{ configuration, connection: ground.connection, log, version, ...ports() },
    ...{ local, tracing, pageFolder: pageBuilder(join(folder, 'page')) },
  });
  life.atEnd(() => controller.stop());
  announce({
    ...{ kubeconfig: ground.kubeconfig, transport: ground.user, clock: systemClock },
    namespace: ground.connection.namespace,
    secretName: configuration.questions.secretName,
    address: controller.questionsUrl,
  }).catch((error: unknown) =>
    log.line('warn', 'kubectl coppice does not find the controller', { error: String(error) }),
  );
  const scenes = shows.map(({ open }) => open());
  const { user } = ground;
  const client = createKubeClient({ transport: user, ...ports(), log: log.line, host: user.host });
  const kinds = new Set(shows.flatMap((one) => one.kinds));
  const reflection = client.reflect([...kinds], (observation) => {
    for (const scene of scenes) scene.observe(observation);
  });
  life.atEnd(() => reflection.stop());
  await life.until(Promise.all([controller.synced, controller.admitting, reflection.synced]));
  if (life.isAsked) return exitCodes.ok;

  const wanted = await applyAll(user, manifests, shows);
  const requests =
    activator && (await startDevActivator({ ...ground, configuration, activator, log, version }));
  life.atEnd(() => requests?.stop());
  const inspector = `${controller.inspectorUrl ?? ''}/ui/#token=${local.oneTimeToken}`;
  const places = { ...ground, http: controller.healthUrl, inspector };
  const ready = await show(scenes, {
    wanted,
    stopped: life.signal,
    steps: [
      ...nextSteps(places, stepsOf(shows, wanted)),
      ...activatorSteps(requests?.url, activator),
    ],
    untilReady: flags['exit-when-ready'],
    timeoutMs: flags['ready-timeout'] * 1000,
  });
  return ready ? exitCodes.ok : exitCodes.notReady;
}

function madeFolder(path: string): string {
  const folder = resolve(path);
  mkdirSync(folder, { recursive: true });
  return folder;
}

const portsOf = (flags: DevFlags, hasActivator: boolean) => [
  { port: flags['api-port'], use: 'the API server', flag: '--api-port' },
  { port: flags['http-port'], use: 'health and metrics', flag: '--http-port' },
  { port: flags['inspector-port'], use: 'the inspector', flag: '--inspector-port' },
  ...(hasActivator
    ? [{ port: flags['activator-port'], use: 'the activator', flag: '--activator-port' }]
    : []),
];

const ports = () => ({ clock: systemClock, random: systemRandom, ids: systemIds() });

/** The sample is known to be right, and a quick start matters. */
async function manifestsOf(
  { apply: files }: DevFlags,
  configured: Configuration,
  { sample }: DevShow,
): Promise<readonly Manifest[]> {
  if (files.length === 0) return readManifests(sample);
  const manifests = (await Promise.all(files.map(readManifests))).flat();
  await dryRun(manifests, configured);
  return manifests;
}

/** What the controller stands on. */
interface Ground {
  readonly nats: string | undefined;
  /** `https://127.0.0.1:6550` */
  readonly api: string;
  readonly kubeconfig: string;
  readonly connection: KubeConnection;
  readonly user: HttpTransport;
}

interface Start {
  readonly log: Log;
  readonly version: string;
  readonly life: Life;
}

async function startGround(
  flags: DevFlags,
  folder: string,
  { log, version, life }: Start,
): Promise<Ground> {
  const nats = flags['no-nats'] ? undefined : await startNats(folder, flags['nats-port'], life);
  const cluster = createCluster({
    clock: systemClock,
    random: systemRandom,
    nodes: flags.nodes,
    plugins: await clusterPlugins(),
    runsProcesses: true,
    dataDir: folder,
    log: log.line,
  });
  life.atEnd(() => cluster.stop());
  await cluster.start();
  const { url, kubeconfigPath } = await cluster.listen({ port: flags['api-port'] });
  const kubeconfig = kubeconfigPath ?? join(folder, 'kubeconfig');
  const connection = await loadConnection({ file: kubeconfig }, systemClock);
  const user = httpTransport(connection, { userAgent: `coppice-dev/${version}` });
  life.atEnd(() => user.close());
  await installCrds(user);
  return { nats, api: url, kubeconfig, connection, user };
}

/** A server that a killed process left behind is stopped before its port is looked at. */
async function startNats(folder: string, port: number, life: Life): Promise<string> {
  const { path } = await findNatsServer();
  const options = { binary: path, dataDir: join(folder, 'nats'), port };
  const server = await startNatsServer(options).catch((error: unknown) => {
    if (!(error instanceof NatsServerError) || error.reason !== 'port-busy') throw error;
    const hint = 'stop that one or choose another with --nats-port (0: any free one)';
    throw new Error(`${error.message}, wanted for NATS: ${hint}`, { cause: error });
  });
  life.atEnd(() => server.stop());
  return server.url;
}

/** Everything on loopback, health and metrics on one port, the NATS that was started, and the
 *  webhooks registered by their address. */
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
      commands: true, // its NATS is on loopback, and the page of the bus shows them
      enabled: nats !== undefined,
      servers: nats === undefined ? [] : [nats],
    },
    server: {
      bindAddress: '127.0.0.1',
      metricsBindAddress: undefined,
      healthPort: port,
      metricsPort: port,
    },
    inspector: { ...configured.inspector, enabled: true, port: flags['inspector-port'] },
    admission: localAdmission(configured),
    // For `kubectl coppice`, which the kubeconfig tells the port.
    questions: {
      ...configured.questions,
      ...{ enabled: true, bindAddress: '127.0.0.1', host: '127.0.0.1', port: 0 },
    },
  };
}

/** Those among them that are waited for. */
async function applyAll(
  user: KubeTransport,
  manifests: readonly Manifest[],
  shows: readonly DevShow[],
): Promise<readonly Applied[]> {
  const awaited: Applied[] = [];
  for (const manifest of manifests) {
    const key = await apply(user, manifest);
    const { kind } = manifest;
    if (shows.some(({ isAwaited }) => isAwaited(kind))) awaited.push({ kind, key });
  }
  return awaited;
}

/** Of those modules of which something was applied, or else of the first. */
function stepsOf(
  [first, ...others]: readonly [DevShow, ...DevShow[]],
  wanted: readonly Applied[],
): readonly NextSteps[] {
  const steps = [first, ...others].flatMap(({ isAwaited, nextSteps: stepsFor }) => {
    const own = wanted.filter(({ kind }) => isAwaited(kind));
    return own.length === 0 ? [] : [stepsFor(own)];
  });
  return steps.length === 0 ? [first.nextSteps([])] : steps;
}
