// The kube edge put together: one transport, measured and within limits, a cluster port to write
// with and reflectors to read with. main.ts makes one per API server, the simulation one per run.
import type {
  Clock,
  ClusterPort,
  Observation,
  Random,
  Telemetry,
  Unseen,
  WriteOutcome,
} from '#actors/ports.ts';
import type { ObjectRef } from '#machines/contract/address.ts';
import { CoppiceError } from '#machines/contract/errors.ts';
import { isWatched, kindRow, type Kind, versionsOf } from '#machines/kinds.ts';
import { list, object } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { failureOf, isSuccess, unreachable, type Failure } from './errors.ts';
import { lateReplyMs, maxRequestsInFlight } from './limits.ts';
import { groupPath, isSelected } from './paths.ts';
import { measured, type OnRequest } from './transport/measure.ts';
import { limited, type RateLimit } from './transport/ratelimit.ts';
import type { KubeTransport } from './transport/transport.ts';
import { Outages } from './watch/outages.ts';
import type { ReflectorOptions } from './watch/reflector-options.ts';
import { Reflector } from './watch/reflector.ts';
import { listSelected } from './watch/selected.ts';
import { UnlabelledPods } from './watch/unlabelled.ts';
import type { ReflectorHealth } from './watch/watch-health.ts';
import { clusterPort } from './write.ts';

export interface KubeClientOptions {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Telemetry['log'];
  /** Host and port of the server, for metrics. */
  readonly host: string;
  readonly onRequest?: OnRequest;
  /** True for objects of kinds that are not watched and may be read all the same; absent: none. */
  readonly mayRead?: (ref: ObjectRef) => boolean;
  readonly limits?: ClientLimits;
}

export interface ClientLimits {
  readonly rate?: RateLimit;
  readonly maxInFlight?: number;
}

/** Of the configuration, where a rate of 0 is none. */
export const clientLimits = ({
  maxInFlight,
  qps,
  burst,
}: RateLimit & { readonly maxInFlight: number }): ClientLimits => ({
  maxInFlight,
  ...(qps > 0 ? { rate: { qps, burst } } : {}),
});

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
  /** After the first complete list of every kind that it began with; rejects with STOPPING when
   *  stopped before. */
  readonly synced: Promise<void>;
  /** Starts a reflector for each of these kinds too; as `synced`. */
  also(kinds: readonly Kind[]): Promise<void>;
  /** The server may have been away unnoticed, and restored meanwhile: every kind is listed. */
  suspectOutage(): void;
  stop(): void;
  health(): readonly ReflectorHealth[];
}

export type Discovery =
  | { readonly ok: true; readonly served: readonly Kind[]; readonly missing: readonly Kind[] }
  | Failure;

export function createKubeClient(options: KubeClientOptions): KubeClient {
  const { clock, limits, onRequest } = options;
  const rate = limits?.rate;
  const counted =
    onRequest === undefined
      ? options.transport
      : measured(options.transport, clock, options.host, onRequest);
  const transport = limited(counted, clock, {
    maxInFlight: limits?.maxInFlight ?? maxRequestsInFlight,
    ...(rate === undefined ? {} : { rate }),
  });
  const reflected = new Map<Kind, Reflected>();
  const cluster = clusterPort(transport);
  return {
    cluster: informing(cluster, reflected, { ...options, transport }),
    reflect: (which, emit, besides) => {
      const outages = new Outages(clock);
      const stopping = new AbortController();
      const { signal } = stopping;
      const start = (kind: Kind): Reflected => {
        const { read } = cluster;
        const unlabelled = new UnlabelledPods(kind, { ...options, transport, read, emit, signal });
        const listed = (version: string): void => unlabelled.listed(version);
        const each = { ...options, ...besides, transport, outages, listed };
        const reflector = new Reflector(kind, (observation) => unlabelled.tell(observation), each);
        const part = { reflector, unlabelled };
        reflected.set(kind, part);
        return part;
      };
      return reflection(which, {
        start,
        outages,
        stopping,
        forget: (kind) => reflected.delete(kind),
      });
    },
    discover: (which) => discover(transport, which),
  };
}

interface Reflected {
  readonly reflector: Reflector;
  readonly unlabelled: UnlabelledPods;
}

interface Beside {
  readonly start: (kind: Kind) => Reflected;
  readonly outages: Outages;
  readonly stopping: AbortController;
  readonly forget: (kind: Kind) => void;
}

function reflection(
  kinds: readonly Kind[],
  { start, outages, stopping, forget }: Beside,
): Reflection {
  const parts: Reflected[] = [];
  const also = async (more: readonly Kind[]): Promise<void> => {
    const begun = more.map(start);
    parts.push(...begun);
    for (const { reflector } of begun) reflector.resume();
    await Promise.all(begun.map(({ reflector }) => reflector.synced));
    await Promise.all(begun.map(({ unlabelled }) => unlabelled.swept()));
    if (stopping.signal.aborted) throw new CoppiceError('STOPPING', 'stopped before the sweep');
  };
  const synced = also(kinds);
  synced.catch(() => {});
  return {
    synced,
    also,
    suspectOutage: () => outages.suspect(),
    stop: () => {
      for (const { reflector } of parts) forget(reflector.kind);
      stopping.abort();
      outages.stop();
      parts.forEach(({ unlabelled }) => unlabelled.stop());
      parts.forEach(({ reflector }) => reflector.stop());
    },
    health: () => parts.map(({ reflector }) => reflector.health()),
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
  { clock, mayRead, transport }: Pick<KubeClientOptions, 'clock' | 'mayRead' | 'transport'>,
): ClusterPort {
  const inform = (ref: ObjectRef, outcome: WriteOutcome, isWrite: boolean): WriteOutcome => {
    const target = reflected.get(ref.kind);
    if (!outcome.ok && outcome.code === 'NOT_FOUND') target?.reflector.wanted();
    if (target === undefined || !outcome.ok || outcome.object === undefined) return outcome;
    const { object } = outcome;
    if (!isSelected(ref.kind, object)) {
      target.unlabelled.shown(object);
      return outcome;
    }
    const overtaken = learn(target, object);
    if (overtaken === undefined) return outcome;
    // What was read is compared with what was written; a write that is over told all there is.
    if (isWrite && isEnd(overtaken)) return { ...outcome, gone: true };
    // After the reply has reached whoever wrote: an end that comes twice does no harm.
    clock.at(clock.now() + lateReplyMs, () => target.unlabelled.tell(overtaken));
    return outcome;
  };
  return {
    write: async (write, isWanted) => inform(write.ref, await cluster.write(write, isWanted), true),
    read: async (ref) => inform(ref, await cluster.read(ref), false),
    mayRead: (ref) => isWatched(ref.kind) || mayRead?.(ref) === true,
    event: (event) => cluster.event(event),
    refresh: async (kind) => {
      const target = reflected.get(kind);
      await target?.reflector.refresh();
      await target?.unlabelled.swept();
    },
    list: async (kind, selection, isWanted, signal) => {
      const newest = (): string => reflected.get(kind)?.reflector.newest ?? '';
      const request = { ...selection, transport, clock, kind, isWanted, signal, newest };
      const outcome = await listSelected(request);
      const target = reflected.get(kind);
      if (target === undefined || !outcome.ok) return outcome;
      // What the watch has seen to end meanwhile would be told of as alive.
      const objects = outcome.objects.filter((each) => learn(target, each) === undefined);
      return { ok: true, objects };
    },
    unseen: () =>
      [...reflected.values()].flatMap(({ reflector }) => unseenOf(reflector.health(), clock)),
  };
}

/** A watch that is open may have nothing to tell. */
function unseenOf(
  { kind, phase, ageMs, lastFailure }: ReflectorHealth,
  clock: Clock,
): readonly Unseen[] {
  if (lastFailure === null || phase === 'watching') return [];
  return [{ kind, since: ageMs === null ? null : clock.now() - ageMs, why: lastFailure }];
}

/** The end of the object, where the watch has told of it already. */
function learn({ reflector, unlabelled }: Reflected, object: KubeObject): Observation | undefined {
  const { replaced, overtaken } = reflector.learn(object);
  if (replaced !== undefined) unlabelled.tell(replaced);
  return overtaken;
}

/** It cannot just have lost the label that is selected by. */
const isEnd = (observation: Observation): boolean =>
  observation.type === 'gone' && observation.isSure !== false;

async function discover(transport: KubeTransport, which: readonly Kind[]): Promise<Discovery> {
  const served = new Set<string>();
  for (const apiVersion of new Set(which.flatMap(versionsOf))) {
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
    versionsOf(kind).some((version) => served.has(`${version}/${kindRow(kind).plural}`));
  return {
    ok: true,
    served: which.filter(isServed),
    missing: which.filter((kind) => !isServed(kind)),
  };
}
