// The composition root of the controller: makes every collaborator, in start order, hands each its
// ports, and stops them in reverse. Called by `coppice controller` and `coppice dev`.
import { hostname } from 'node:os';
import type { Limits } from '#actors/limits.ts';
import type { BusPort, Clock, Ids, Random, ShardLease } from '#actors/ports.ts';
import { soleOwner } from '#actors/shards/shard.ts';
import { defaultStrategy } from '#actors/supervision/strategy.ts';
import { createSystem, type ActorSystem } from '#actors/system.ts';
import { NatsBus } from '#bus/nats/bus.ts';
import { natsOptions } from '#bus/nats/options.ts';
import type { CoppiceError } from '#machines/contract/errors.ts';
import type { Module } from '#machines/contract/module.ts';
import type { Kind } from '#machines/kinds.ts';
import { processAdmission } from '#src/admission/process.ts';
import type { Admission } from '#src/admission/start.ts';
import { natsSettings } from '#src/config/nats.ts';
import type { Configuration } from '#src/config/schema.ts';
import { clockCheck, type EventLoopCheck, eventLoopCheck } from '#src/http/checks.ts';
import { controllerRoutes, metricsPath } from '#src/http/routes.ts';
import type { LocalAccess } from '#src/inspector/server/local.ts';
import { Traffic } from '#src/inspector/server/traffic.ts';
import { clientLimits, createKubeClient, type KubeClient } from '#src/kube/client.ts';
import type { KubeConnection } from '#src/kube/connect/connection.ts';
import { type HttpTransport, httpTransport } from '#src/kube/transport/http.ts';
import { type ProcessLeases, processLeases } from '#src/leases/leases.ts';
import type { Log } from '#src/log/log.ts';
import type { Metrics } from '#src/metrics/metrics.ts';
import { createTelemetry } from '#src/metrics/telemetry.ts';
import type { ModuleEdge } from '#src/modules/edge.ts';
import { preflight, servedEdges } from '#src/modules/index.ts';
import { processQuestions } from '#src/questions/process.ts';
import type { Questions } from '#src/questions/start.ts';
import type { Tracing } from '#src/tracing/start.ts';
import { inspecting, startInspector } from './inspector.ts';
import { listen } from './listen.ts';
import { startMetrics } from './metrics.ts';
import { startWatches, type Watches, lateKinds } from './watches.ts';

export interface ControllerOptions {
  readonly configuration: Configuration;
  readonly connection: KubeConnection;
  /** Instead of one over the connection: for whoever wants to see every request. */
  readonly transport?: HttpTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  readonly log: Log;
  readonly version: string;
  /** Lets whoever has the link into the inspector. */
  readonly local?: LocalAccess;
  /** Makes the page of the inspector; absent: it is built already. */
  readonly pageFolder?: (() => Promise<string>) | undefined;
  /** Default: those that the configuration switches on. A test hands in one that fails. */
  readonly modules?: readonly ModuleEdge[];
  /** Stopped with the controller. Absent: nobody wants traces. */
  readonly tracing?: Tracing | undefined;
}

export interface Controller {
  /** `http://127.0.0.1:2751` */
  readonly healthUrl: string;
  readonly metricsUrl: string;
  /** Undefined: it is not served. */
  readonly inspectorUrl: string | undefined;
  /** Where questions are answered over HTTPS; undefined: not yet, or nowhere. */
  readonly questionsUrl: () => string | undefined;
  /** After the first complete list of every kind that is watched by then (watches.ts). */
  readonly synced: Promise<void>;
  /** After the first time that the admission webhooks are served; at once where none are wanted. */
  readonly admitting: Promise<void>;
  /** Resolves when nothing that was read can be believed any more (HISTORY_LOST): the process is to
   *  be ended, and started anew. */
  readonly lost: Promise<CoppiceError>;
  readonly system: ActorSystem;
  readonly bus: BusPort | undefined;
  stop(): Promise<void>;
}

/** Starts everything and returns; `synced` tells when the work begins. Rejects with ListenError,
 *  and with BackendError or PrerequisiteError where the cluster lacks what the configuration asks
 *  for. */
export async function startController(options: ControllerOptions): Promise<Controller> {
  const { configuration, modules: edges = servedEdges(configuration), tracing } = options;
  const transport = options.transport ?? transportOf(options);
  const watched = await watchedKinds(options, edges, transport);
  const modules = edges.map((edge) => edge.module(configuration, options.version));
  const bus = startBus(options);
  const parts: Parts = {};
  parts.leases = processLeases({
    ...options,
    address: () => parts.questions?.address(),
    lost: () => parts.watches?.suspectOutage(),
  });
  const metrics = startMetrics(modules, bus, parts, options.clock, tracing);
  const traffic = new Traffic(() => options.clock.steady());
  parts.admission = processAdmission({ ...options, edges, onAnswer: metrics.answered });
  const kube = makeKubeClient(options, { edges, transport, metrics, traffic });
  const lease = parts.leases?.keeper ?? soleOwner(configuration.shards);
  const system = makeSystem(options, { modules, kube, bus, lease, metrics });
  parts.system = system;
  const loop = eventLoopCheck();
  const routes = routesOf({ metrics, loop, parts, system });
  const http = await listen({
    ...options,
    routes,
    inspector: () => startInspector({ ...options, source: system, lease, traffic }, parts),
  }).catch((error: unknown) => {
    loop.close();
    return failed(error, [system.stop(), parts.admission?.stop(), bus?.close(), transport.close()]);
  });
  const own = { ask: system.ask, questions: asked(modules), inspect: inspecting(http.inspector) };
  parts.questions = processQuestions({ ...options, ...own, metrics: routes.metrics[metricsPath] });
  const lost = Promise.withResolvers<CoppiceError>();
  const actors = modules.flatMap(({ behaviours }) => behaviours.map(({ kind }) => kind));
  // Alone it will have every tree.
  const late = parts.leases === undefined ? [] : lateKinds(watched, actors);
  const toWatch = { kinds: watched, late, lost: lost.resolve };
  parts.watches = startWatches({ ...options, ...toWatch, kube, system });
  const synced = parts.watches.synced.then(() => parts.leases?.keeper.start());
  synced.catch(() => {});
  return {
    healthUrl: http.healthUrl,
    metricsUrl: http.metricsUrl,
    inspectorUrl: http.inspector?.url,
    questionsUrl: () => parts.questions?.address(),
    synced,
    admitting: parts.admission?.started ?? Promise.resolve(),
    lost: lost.promise,
    system,
    bus,
    stop: async () => {
      await parts.leases?.leave();
      await system.stop();
      await Promise.all([parts.admission?.stop(), parts.questions?.stop()]);
      parts.watches?.stop();
      loop.close();
      await Promise.allSettled([http.close(), bus?.close(), transport.close(), tracing?.stop()]);
    },
  };
}

/** Rejects with what went wrong once the ends are over. */
async function failed(wrong: unknown, ends: readonly unknown[]): Promise<never> {
  await Promise.allSettled(ends);
  throw wrong;
}

function transportOf({ configuration, connection, version }: ControllerOptions): HttpTransport {
  const { maxInFlight: sockets } = configuration.clientConnection;
  return httpTransport(connection, { userAgent: `coppice-controller/${version}`, sockets });
}

/** Before anything else is started: the cluster may lack what is asked for. */
async function watchedKinds(
  options: ControllerOptions,
  edges: readonly ModuleEdge[],
  transport: HttpTransport,
): Promise<readonly Kind[]> {
  const { clock, random, log } = options;
  const kube = createKubeClient({ transport, clock, random, log: log.line, host: transport.host });
  try {
    return await preflight(edges, { ...options, kube, transport });
  } catch (error) {
    await transport.close();
    throw error;
  }
}

/** What behaviours answer besides what every actor does. */
const asked = (served: readonly Module[]): readonly string[] =>
  served.flatMap(({ behaviours }) => behaviours.flatMap(({ questions }) => [...questions.keys()]));

interface Wire {
  readonly edges: readonly ModuleEdge[];
  readonly transport: HttpTransport;
  readonly metrics: Metrics;
  readonly traffic: Traffic;
}

function makeKubeClient(
  { configuration, clock, random, log }: ControllerOptions,
  { edges, transport, metrics, traffic }: Wire,
): KubeClient {
  return createKubeClient({
    transport,
    clock,
    random,
    log: log.line,
    host: transport.host,
    onRequest: (request) => {
      metrics.request(request);
      traffic.request(request);
    },
    mayRead: (ref) => edges.some(({ mayRead }) => mayRead?.(configuration, ref) === true),
    limits: clientLimits(configuration.clientConnection),
  });
}

interface Collaborators {
  readonly modules: readonly Module[];
  readonly kube: KubeClient;
  readonly bus: BusPort | undefined;
  readonly lease: ShardLease;
  readonly metrics: Metrics;
}

function makeSystem(
  { configuration, clock, random, ids, log, tracing }: ControllerOptions,
  { kube, metrics, modules: served, ...ports }: Collaborators,
): ActorSystem {
  const { maxRestarts, withinSeconds } = configuration.supervision;
  const system = createSystem({
    behaviours: served.flatMap(({ behaviours }) => behaviours),
    routes: served.flatMap(({ routes }) => routes),
    ports: {
      ...ports,
      telemetry: createTelemetry(metrics.numbers, log.line),
      cluster: kube.cluster,
      clock,
      random,
      ids,
      reconciles: tracing?.reconciles,
    },
    delivery: configuration.bus.delivery,
    commands: configuration.bus.commands,
    limits: writeLimits(configuration),
    restoresCharts: true,
    supervision: { ...defaultStrategy, intensity: maxRestarts, windowMs: withinSeconds * 1000 },
  });
  tracing?.follow(system.history);
  return system;
}

/** As many writes again wait at the sockets, so that none is idle while the actors have their
 *  turn. */
const writeLimits = ({ clientConnection: { maxInFlight } }: Configuration): Partial<Limits> => ({
  writesInFlight: 2 * maxInFlight,
  writesInFlightPerKind: maxInFlight,
});

function startBus({
  configuration: { bus, leases },
  clock,
  random,
  ids,
  log,
  version,
}: ControllerOptions): NatsBus | undefined {
  if (!bus.enabled) return undefined;
  const about = { version, pod: leases.identity ?? hostname() };
  return new NatsBus(natsOptions(natsSettings(bus)), { clock, random, ids, about, log: log.line });
}

/** What is made later than the metrics that ask it. */
interface Parts {
  watches?: Watches;
  system?: ActorSystem;
  leases?: ProcessLeases | undefined;
  questions?: Questions | undefined;
  admission?: Admission | undefined;
}

interface Served {
  readonly metrics: Metrics;
  readonly loop: EventLoopCheck;
  readonly parts: Parts;
  readonly system: ActorSystem;
}

/** What probes, dashboards and people may ask for. */
function routesOf({ metrics, loop, parts, system }: Served) {
  const { leases, admission } = parts;
  return controllerRoutes({
    live: [
      ...(leases === undefined ? [] : [leases.live]),
      loop,
      clockCheck(
        () => Date.now(),
        () => performance.now(),
      ),
    ],
    ready: [
      {
        name: 'synced',
        run: () => (parts.watches === undefined ? 'starts' : parts.watches.waitsFor()),
      },
      ...[leases, admission].flatMap((part) => (part === undefined ? [] : [part.ready])),
    ],
    actors: () => system.trees(),
    metrics,
  });
}
