// The composition root of `coppice activator`: actors of revisions over their data plane, what they
// hear of the cluster and of our configuration, the request path, and who is told how many requests
// there are. Started by run.ts, and by `coppice dev`.
import { hostname } from 'node:os';
import type { Clock, Ids, Observation, Random } from '#actors/ports.ts';
import type { CoppiceError } from '#machines/contract/errors.ts';
import type { Configuration } from '#src/config/schema.ts';
import { clockCheck, type EventLoopCheck, eventLoopCheck } from '#src/http/checks.ts';
import type { Check } from '#src/http/probes.ts';
import { controllerRoutes } from '#src/http/routes.ts';
import { type RunningServer, serve } from '#src/http/server.ts';
import { clientLimits, createKubeClient, type KubeClient } from '#src/kube/client.ts';
import type { KubeConnection } from '#src/kube/connect/connection.ts';
import { type HttpTransport, httpTransport } from '#src/kube/transport/http.ts';
import type { Log } from '#src/log/log.ts';
import { type ProcessDemand, processDemand } from './scaling/process.ts';
import { Figures } from './proxy/figures.ts';
import { PodNames } from './proxy/pod-names.ts';
import { PodClients } from './proxy/pods.ts';
import { requestLogOf } from './proxy/request-log.ts';
import { RevisionRules } from './proxy/rules.ts';
import { type RequestPath, startRequestPath } from './proxy/start.ts';
import { startWorkers, type Workers, type WorkersOptions } from './workers/pool.ts';
import { questionsBy } from './sources/configured.ts';
import { podProbe } from './sources/probe.ts';
import { type Sources, startSources } from './sources/sources.ts';
import { type Activator, startActivator } from './start.ts';

export interface ActivatorProcessOptions {
  readonly configuration: Configuration;
  readonly connection: KubeConnection;
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  readonly log: Log;
  readonly version: string;
  /** False leaves out process_* and nodejs_* of the metrics: the process is not ours alone. */
  readonly withProcess?: boolean;
}

export interface ActivatorProcess {
  /** `http://127.0.0.1:8012` */
  readonly url: string;
  readonly ports: RequestPath['ports'];
  /** `http://127.0.0.1:2756` */
  readonly healthUrl: string;
  /** After the first complete list of every kind. */
  readonly synced: Promise<void>;
  /** See `Controller`. */
  readonly lost: Promise<CoppiceError>;
  /** Requests are served as before for a while, then those that are here; resolves after the last
   *  one. */
  drain(): Promise<void>;
  /** At once. */
  stop(): Promise<void>;
}

/** Rejects with ListenError where a port cannot be had. */
export async function startActivatorProcess(
  options: ActivatorProcessOptions,
): Promise<ActivatorProcess> {
  const { configuration, clock, log } = options;
  const own = configuration.activator;
  const transport = transportOf(options);
  const pods = new PodClients();
  const kube = makeKubeClient(options, transport);
  const figures = new Figures();
  const activator = startActivator({
    ...options,
    cluster: kube.cluster,
    withProcess: options.withProcess ?? true,
    figures,
    probe: podProbe({ asker: pods, questionOf: questionsBy(own.revisions) }),
    settings: { address: own.address ?? process.env['COPPICE_POD_IP'] ?? '' },
  });
  const rules = new RevisionRules();
  const names = new PodNames();
  const lost = Promise.withResolvers<CoppiceError>();
  const sources = startSources({
    kube,
    revisions: own.revisions,
    activators: own.service,
    isKnative: own.knative.enabled,
    observe: (observation) => {
      apply({ rules, names }, observation);
      activator.system.observe(observation);
    },
    lost: lost.resolve,
  });
  const synced = sources.synced.then(() => activator.system.synced());
  synced.catch(() => {});
  const demand = processDemand({ ...options, transport, plane: activator.plane, pod: hostname() });
  const loop = eventLoopCheck();
  const parts = { activator, sources, demand, loop, figures };
  const end = async (): Promise<void> => {
    sources.stop();
    await demand.stop();
    await activator.stop();
    loop.close();
    await Promise.allSettled([pods.close(), transport.close()]);
  };
  const made = listenAll(options, parts, { pods, rules, names }).catch(failingAfter(end));
  const { path, health } = await made;
  log.line('debug', 'activator listens', { ...path.ports, at: clock.now() });
  return {
    url: urlOf(own.bindAddress, path.ports.http),
    ports: path.ports,
    healthUrl: urlOf(health.host, health.port),
    synced,
    lost: lost.promise,
    drain: () => path.drain(),
    stop: async () => {
      await path.stop();
      await end();
      await health.close();
    },
  };
}

const failingAfter =
  (end: () => Promise<void>) =>
  async (error: unknown): Promise<never> => {
    await end();
    throw error;
  };

function transportOf({ configuration, connection, version }: ActivatorProcessOptions) {
  const { maxInFlight: sockets } = configuration.clientConnection;
  return httpTransport(connection, { userAgent: `coppice-activator/${version}`, sockets });
}

function makeKubeClient(
  { configuration, clock, random, log }: ActivatorProcessOptions,
  transport: HttpTransport,
): KubeClient {
  return createKubeClient({
    transport,
    clock,
    random,
    log: log.line,
    host: transport.host,
    limits: clientLimits(configuration.clientConnection),
  });
}

/** What the request path reads of objects by itself. */
interface Known {
  readonly rules: RevisionRules;
  readonly names: PodNames;
}

function apply({ rules, names }: Known, observation: Observation): void {
  const { kind } = observation.type === 'seen' ? observation : observation.ref;
  const known = kind === 'Revision' ? rules : kind === 'EndpointSlice' ? names : undefined;
  if (observation.type === 'seen') known?.seen(observation.object);
  else known?.gone(observation.ref.namespace, observation.ref.name);
}

interface Parts {
  readonly activator: Activator;
  readonly sources: Sources;
  readonly demand: ProcessDemand;
  readonly loop: EventLoopCheck;
  readonly figures: Figures;
}

interface Listeners {
  readonly path: RequestPath;
  readonly health: RunningServer;
}

/** Requests first: a port that is taken ends the start. */
async function listenAll(
  { configuration, log, clock }: ActivatorProcessOptions,
  { activator, sources, demand, loop, figures }: Parts,
  { pods, rules, names }: Known & { readonly pods: PodClients },
): Promise<Listeners> {
  const { activator: own } = configuration;
  let isDraining = false;
  const state: Check = {
    name: 'draining',
    run: () => (isDraining ? 'received SIGTERM from kubelet' : undefined),
  };
  const ready = [state, sources.ready, ...demand.ready];
  const common = {
    plane: activator.plane,
    demand: demand.ledger,
    figures,
    podNameOf: names.find,
    log: log.line,
    // A restart would lose what waits, so liveness is no business of the autoscaler.
    health: (at: string) => (at.startsWith('/livez') ? loop : firstWrong(ready)).run(),
    listen: { host: own.bindAddress, http: own.httpPort, h2c: own.h2cPort },
    limits: { drainMs: own.drainSeconds * 1_000 },
  };
  const path = await startPath(own, common, { pods, rules });
  const workers = path.ready === undefined ? [] : [path.ready];
  const steady = (): number => clock.steady();
  const routes = controllerRoutes({
    live: [loop, clockCheck(() => clock.now(), steady)],
    ready: [...ready, activator.ready, ...workers],
    actors: () => activator.system.trees(),
    metrics: activator.metrics,
  });
  const drain = (): Promise<void> => {
    isDraining = true;
    return path.drain();
  };
  try {
    const health = await serve({
      host: own.bindAddress,
      port: own.healthPort,
      name: 'health',
      setting: 'activator.healthPort',
      routes: { ...routes.health, ...routes.metrics },
      onError: (error, at) =>
        log.line('error', 'request failed', { path: at, error: String(error) }),
    });
    return { path: { ...path, drain }, health };
  } catch (error) {
    await path.stop();
    throw error;
  }
}

type OfRequests = Omit<WorkersOptions, 'count' | 'rules' | 'requestLogTemplate'>;

/** In this thread, or in several others. */
function startPath(
  { workers: count, requestLogTemplate }: Configuration['activator'],
  common: OfRequests,
  { pods, rules }: Pick<Known, 'rules'> & { readonly pods: PodClients },
): Promise<RequestPath & Partial<Pick<Workers, 'ready'>>> {
  if (count > 1) return startWorkers({ ...common, count, rules, requestLogTemplate });
  const requestLog = requestLogOf(requestLogTemplate);
  return startRequestPath({ ...common, pods, rules: rules.find, ...requestLog });
}

const firstWrong = (checks: readonly Check[]): Pick<Check, 'run'> => ({
  run: () => checks.map((check) => check.run()).find((wrong) => wrong !== undefined),
});

const urlOf = (host: string, port: number): string =>
  `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}`;
