// The kube edge put together: one transport, measured and within limits, a cluster port to write
// with and reflectors to read with. main.ts makes one per API server, the simulation one per run.
import { kinds, type Kind } from '#machines/kinds.ts';
import type { KubeObject } from '#machines/objects.ts';
import type {
  Clock,
  ClusterPort,
  Observation,
  Random,
  Telemetry,
  WriteOutcome,
} from '#actors/ports.ts';
import { failureOf, isSuccess, unreachable, type Failure } from './errors.ts';
import { fieldsOf, listOf } from './json.ts';
import { lateReplyMs, maxRequestsInFlight } from './limits.ts';
import { measured, type OnRequest } from './measure.ts';
import { groupPath, isSelected } from './paths.ts';
import { limited, type RateLimit } from './ratelimit.ts';
import { Reflector, type ReflectorHealth } from './reflector.ts';
import type { KubeTransport } from './transport.ts';
import { clusterPort } from './write.ts';

export interface KubeClientOptions {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Telemetry['log'];
  /** Host and port of the server, for metrics. */
  readonly host: string;
  readonly onRequest?: OnRequest;
  readonly limits?: { readonly rate?: RateLimit; readonly maxInFlight?: number };
}

export interface KubeClient {
  readonly cluster: ClusterPort;
  /** Starts a reflector per kind. To be called once per kind. `served`: the CRD of a scheduler
   *  backend was not installed, and now it is. */
  reflect(
    kinds: readonly Kind[],
    emit: (observation: Observation) => void,
    served?: (kind: Kind) => void,
  ): Reflection;
  /** Which kinds the server serves: the CRDs may not be installed (yet). Never rejects. */
  discover(kinds: readonly Kind[]): Promise<Discovery>;
}

export interface Reflection {
  /** After the first complete list of every kind; rejects with STOPPING when stopped before. */
  readonly synced: Promise<void>;
  pause(): void;
  resume(): void;
  stop(): void;
  health(): readonly ReflectorHealth[];
}

export type Discovery =
  | { readonly ok: true; readonly served: readonly Kind[]; readonly missing: readonly Kind[] }
  | Failure;

export function createKubeClient(options: KubeClientOptions): KubeClient {
  const { clock, limits, onRequest } = options;
  const rate = limits?.rate;
  const told =
    onRequest === undefined
      ? options.transport
      : measured(options.transport, clock, options.host, onRequest);
  const transport = limited(told, clock, {
    maxInFlight: limits?.maxInFlight ?? maxRequestsInFlight,
    ...(rate === undefined ? {} : { rate }),
  });
  const reflected = new Map<Kind, Reflected>();
  return {
    cluster: informing(clusterPort(transport), reflected, clock),
    reflect: (which, emit, served) => {
      const each = { ...options, transport, ...(served === undefined ? {} : { served }) };
      const reflectors = which.map((kind) => new Reflector(kind, emit, each));
      for (const reflector of reflectors) {
        reflected.set(reflector.kind, { reflector, emit });
        reflector.resume();
      }
      return reflection(reflectors, () => which.forEach((kind) => reflected.delete(kind)));
    },
    discover: (which) => discover(transport, which),
  };
}

interface Reflected {
  readonly reflector: Reflector;
  readonly emit: (observation: Observation) => void;
}

function reflection(reflectors: readonly Reflector[], forget: () => void): Reflection {
  const synced = Promise.all(reflectors.map((reflector) => reflector.synced)).then(() => {});
  synced.catch(() => {});
  return {
    synced,
    pause: () => reflectors.forEach((reflector) => reflector.pause()),
    resume: () => reflectors.forEach((reflector) => reflector.resume()),
    stop: () => {
      forget();
      reflectors.forEach((reflector) => reflector.stop());
    },
    health: () => reflectors.map((reflector) => reflector.health()),
  };
}

/**
 * The cluster port, with every object of a reply made known to its reflector. Replies enter caches
 * at once, so of each it must be certain that somebody will say when it is gone: also when it was
 * created and deleted between two lists, and when the watch ran ahead of the reply.
 */
function informing(
  cluster: ClusterPort,
  reflected: ReadonlyMap<Kind, Reflected>,
  clock: Clock,
): ClusterPort {
  const inform = (kind: Kind, outcome: WriteOutcome): WriteOutcome => {
    const target = reflected.get(kind);
    if (!outcome.ok && outcome.code === 'NOT_FOUND') target?.reflector.wanted();
    if (target === undefined || !outcome.ok || outcome.object === undefined) return outcome;
    const { replaced, overtaken } = learn(target.reflector, outcome.object);
    if (replaced !== undefined) target.emit(replaced);
    // After the reply has reached whoever wrote: an end that comes twice does no harm.
    if (overtaken !== undefined) {
      clock.at(clock.now() + lateReplyMs, () => target.emit(overtaken));
    }
    return outcome;
  };
  return {
    write: async (write, isWanted) => inform(write.ref.kind, await cluster.write(write, isWanted)),
    read: async (ref) => inform(ref.kind, await cluster.read(ref)),
    event: (event) => cluster.event(event),
  };
}

/** What the reflector's selector leaves out will never be in its lists. */
const learn = (reflector: Reflector, object: KubeObject): ReturnType<Reflector['learn']> =>
  isSelected(reflector.kind, object) ? reflector.learn(object) : {};

async function discover(transport: KubeTransport, which: readonly Kind[]): Promise<Discovery> {
  const served = new Set<string>();
  for (const apiVersion of new Set(which.map((kind) => kinds[kind].apiVersion))) {
    try {
      const response = await transport.request({ method: 'GET', path: groupPath(apiVersion) });
      if (response.status === 404) continue;
      if (!isSuccess(response)) return failureOf(response);
      for (const resource of listOf(fieldsOf(response.body)['resources'])) {
        served.add(`${apiVersion}/${String(fieldsOf(resource)['name'])}`);
      }
    } catch (error) {
      return unreachable(error);
    }
  }
  const isServed = (kind: Kind): boolean =>
    served.has(`${kinds[kind].apiVersion}/${kinds[kind].plural}`);
  return {
    ok: true,
    served: which.filter(isServed),
    missing: which.filter((kind) => !isServed(kind)),
  };
}
