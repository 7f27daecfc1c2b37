// The kube edge put together: one transport, measured and within limits, a cluster port to write
// with and reflectors to read with. main.ts makes one per API server, the simulation one per run.
import { list, object } from '#machines/json.ts';
import { CoppiceError } from '#machines/errors.ts';
import { isWatched, kindRow, type Kind } from '#machines/kinds.ts';
import { controllerOf } from '#machines/objects.ts';
import type { KubeObject, ObjectRef } from '#machines/objects.ts';
import type {
  Clock,
  ClusterPort,
  Observation,
  Random,
  Telemetry,
  WriteOutcome,
} from '#actors/ports.ts';
import { failureOf, isSuccess, unreachable, type Failure } from './errors.ts';
import { lateReplyMs, maxRequestsInFlight } from './limits.ts';
import { measured, type OnRequest } from './measure.ts';
import { Outages } from './outages.ts';
import { groupPath, isSelected } from './paths.ts';
import { limited, type RateLimit } from './ratelimit.ts';
import type { ReflectorHealth } from './hearing.ts';
import { Reflector } from './reflector.ts';
import type { ReflectorOptions } from './reflector-options.ts';
import { Strays } from './strays.ts';
import { Sweep } from './sweep.ts';
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
  /** Namespaces in which Secrets may be read; absent: none. */
  readonly readsSecretsIn?: readonly string[];
  readonly limits?: { readonly rate?: RateLimit; readonly maxInFlight?: number };
}

export interface KubeClient {
  readonly cluster: ClusterPort;
  /** Starts a reflector per kind. To be called once per kind. */
  reflect(
    kinds: readonly Kind[],
    emit: (observation: Observation) => void,
    besides?: Pick<ReflectorOptions, 'served' | 'echoed' | 'lost'>,
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
  const cluster = clusterPort(transport);
  return {
    cluster: informing(cluster, reflected, options),
    reflect: (which, emit, besides) => {
      const outages = new Outages(clock);
      const strays = new Strays({ clock, read: cluster.read, emit });
      const tell = (observation: Observation): void => {
        if (isDoubted(observation)) strays.doubt(observation.ref, observation.uid);
        else emit(observation);
      };
      const found = (pod: KubeObject): void => {
        if (!isOfOurs('Pod', pod)) return;
        emit({ type: 'seen', kind: 'Pod', object: pod });
        strays.follow(refOf('Pod', pod), pod.metadata.uid ?? '');
      };
      const stopping = new AbortController();
      const sweep = new Sweep({ ...options, transport, found, signal: stopping.signal });
      const listed = (kind: Kind, version: string): void => {
        if (kind === 'Pod') sweep.listed(version);
      };
      const each = { ...options, ...besides, transport, outages, listed };
      const reflectors = which.map((kind) => new Reflector(kind, tell, each));
      for (const reflector of reflectors) {
        reflected.set(reflector.kind, { reflector, tell, strays, sweep });
        reflector.resume();
      }
      const forget = (): void => which.forEach((kind) => reflected.delete(kind));
      return reflection(reflectors, { strays, outages, sweep, stopping, forget });
    },
    discover: (which) => discover(transport, which),
  };
}

interface Reflected {
  readonly reflector: Reflector;
  readonly tell: (observation: Observation) => void;
  readonly strays: Strays;
  readonly sweep: Sweep;
}

/**
 * A pod of which our watch says that it is gone, though it may have lost our label only, is read
 * before anybody believes that: its index must not get a second one. The others have computed
 * names, so who creates one that is there finds it.
 */
const isDoubted = (
  observation: Observation,
): observation is Extract<Observation, { type: 'gone' }> =>
  observation.type === 'gone' && observation.isSure === false && observation.ref.kind === 'Pod';

interface Beside {
  readonly strays: Strays;
  readonly outages: Outages;
  readonly sweep: Sweep;
  readonly stopping: AbortController;
  readonly forget: () => void;
}

function reflection(
  reflectors: readonly Reflector[],
  { strays, outages, sweep, stopping, forget }: Beside,
): Reflection {
  const synced = Promise.all(reflectors.map((reflector) => reflector.synced)).then(async () => {
    await sweep.done();
    if (stopping.signal.aborted) throw new CoppiceError('STOPPING', 'stopped before the sweep');
  });
  synced.catch(() => {});
  return {
    synced,
    pause: () => {
      strays.pause();
      reflectors.forEach((reflector) => reflector.pause());
    },
    resume: () => {
      strays.resume();
      reflectors.forEach((reflector) => reflector.resume());
    },
    stop: () => {
      forget();
      stopping.abort();
      outages.stop();
      strays.pause();
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
  { clock, readsSecretsIn = [] }: Pick<KubeClientOptions, 'clock' | 'readsSecretsIn'>,
): ClusterPort {
  const inform = (ref: ObjectRef, outcome: WriteOutcome, isWrite: boolean): WriteOutcome => {
    const target = reflected.get(ref.kind);
    if (!outcome.ok && outcome.code === 'NOT_FOUND') target?.reflector.wanted();
    if (target === undefined || !outcome.ok || outcome.object === undefined) return outcome;
    const { object } = outcome;
    if (!isSelected(ref.kind, object)) {
      if (isOfOurs(ref.kind, object)) target.strays.follow(ref, object.metadata.uid ?? '');
      return outcome;
    }
    const { replaced, overtaken } = target.reflector.learn(object);
    if (replaced !== undefined) target.tell(replaced);
    if (overtaken === undefined) return outcome;
    // What was read is compared with what was written; a write that is over told all there is.
    if (isWrite && isEnd(overtaken)) return { ...outcome, gone: true };
    // After the reply has reached whoever wrote: an end that comes twice does no harm.
    clock.at(clock.now() + lateReplyMs, () => target.tell(overtaken));
    return outcome;
  };
  return {
    write: async (write, isWanted) => inform(write.ref, await cluster.write(write, isWanted), true),
    read: async (ref) => inform(ref, await cluster.read(ref), false),
    mayRead: ({ kind, namespace }) => isWatched(kind) || readsSecretsIn.includes(namespace),
    event: (event) => cluster.event(event),
    refresh: async (kind) => {
      const target = reflected.get(kind);
      await target?.reflector.refresh();
      if (kind === 'Pod') await target?.sweep.done();
    },
  };
}

/** It cannot just have lost the label that is selected by. */
const isEnd = (observation: Observation): boolean =>
  observation.type === 'gone' && observation.isSure !== false;

const refOf = (kind: Kind, { metadata }: KubeObject): ObjectRef => ({
  kind,
  namespace: metadata.namespace ?? '',
  name: metadata.name,
});

/** An object of ours has a controller of ours. What others have without our label is theirs. */
function isOfOurs(kind: Kind, object: KubeObject): boolean {
  const owners: readonly string[] = kindRow(kind).owners;
  const owner = controllerOf(object);
  return owner !== undefined && owners.includes(owner.kind);
}

async function discover(transport: KubeTransport, which: readonly Kind[]): Promise<Discovery> {
  const served = new Set<string>();
  for (const apiVersion of new Set(which.map((kind) => kindRow(kind).apiVersion))) {
    try {
      const response = await transport.request({ method: 'GET', path: groupPath(apiVersion) });
      if (response.status === 404) continue;
      if (!isSuccess(response)) return failureOf(response);
      for (const resource of list(object(response.body)['resources'])) {
        served.add(`${apiVersion}/${String(object(resource)['name'])}`);
      }
    } catch (error) {
      return unreachable(error);
    }
  }
  const isServed = (kind: Kind): boolean =>
    served.has(`${kindRow(kind).apiVersion}/${kindRow(kind).plural}`);
  return {
    ok: true,
    served: which.filter(isServed),
    missing: which.filter((kind) => !isServed(kind)),
  };
}
