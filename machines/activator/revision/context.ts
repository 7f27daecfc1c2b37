// The memory of the actor of a revision: its object, what the endpoints list, the pods, and how
// things stand with the table. What it hears is taken in here and acted on at the reconcile.
import type { ActorKey } from '../../contract/address.ts';
import { CoppiceError } from '../../contract/errors.ts';
import type { CommonEvent } from '../../contract/events.ts';
import { PersistentMap } from '../../contract/persistent-map.ts';
import { isOwnNews } from '../../kubernetes/meta.ts';
import type { SlicePods } from '../objects/endpoint-slice.ts';
import type { ObservedRevision } from '../objects/revision.ts';
import type { RevisionFact, TableLimits, TableOpened } from '../plane.ts';
import type { Situation } from '../pod/chart.ts';
import { listedPods, type Listed } from '../pod/listed.ts';
import { foundPod, type Pod, type PodLife } from '../pod/pod.ts';
import type { ActivatorInput, ActivatorSettings } from '../settings.ts';
import type { Micros } from '../time.ts';
import type { Place } from '../slices.ts';
import type { EndpointsEvent } from '../views/endpoints.ts';
import type { RevisionServices, ServicesEvent } from '../views/services.ts';
import { alone, placeAmong } from './services.ts';

/** The table since it was opened. */
interface Table {
  /** Of the last `setPods`. */
  readonly version: number;
  /** False: it is to be told again what pods there are. */
  readonly isTold: boolean;
  /** Number of the last validation. */
  readonly attempts: number;
  /** As it was last told. */
  readonly limits: TableLimits;
  readonly waiting: number;
  /** When the actor last asked for that, or first heard of it. */
  readonly askedAt: Micros | undefined;
  readonly isStopped: boolean;
}

export interface RevisionContext {
  readonly key: ActorKey;
  readonly settings: ActivatorSettings;
  readonly revision: ObservedRevision | undefined;
  readonly isGone: boolean;
  /** What Knative says of its Services. */
  readonly services: RevisionServices | undefined;
  readonly slices: readonly SlicePods[];
  /** Endpoints of its activators, and the place of this one. */
  readonly activators: readonly SlicePods[];
  readonly place: Place;
  /** By address; of `slices`. Empty for a revision that is being deleted. */
  readonly listed: ReadonlyMap<string, Listed>;
  /** By address. While a pod drains another one at its address is not among them. */
  readonly pods: PersistentMap<string, Pod>;
  /** How many pods are in which state; absent: none. */
  readonly totals: ReadonlyMap<PodLife, number>;
  /** Undefined before it was opened. */
  readonly table: Table | undefined;
}

export type RevisionEvent =
  | CommonEvent
  | EndpointsEvent
  | ServicesEvent
  | RevisionFact
  | { readonly type: 'revision.observed'; readonly observed: ObservedRevision }
  | { readonly type: 'revision.gone'; readonly uid: string };

export const startContext = ({ key, settings }: ActivatorInput): RevisionContext => ({
  key,
  settings,
  revision: undefined,
  isGone: false,
  services: undefined,
  slices: [],
  activators: [],
  place: alone,
  listed: new Map(),
  pods: PersistentMap.of(),
  totals: new Map(),
  table: undefined,
});

export function reduce(context: RevisionContext, event: RevisionEvent): RevisionContext {
  switch (event.type) {
    case 'revision.observed':
      if (!isOwnNews(context.revision, event.observed)) return context;
      return withPlace(withListed({ ...context, revision: event.observed }));
    case 'revision.gone':
      return context.revision?.uid === event.uid ? { ...context, isGone: true } : context;
    case 'endpoints.read':
      return withListed({ ...context, slices: event.slices });
    case 'activators.read':
      return withPlace({ ...context, activators: event.slices });
    case 'servicesOfRevision.read':
      return { ...context, services: event.value };
    case 'table.opened':
      return context.table === undefined ? withTable(context, event) : context;
    case 'demand.told':
      return withDemand(context, event.waiting);
    case 'pod.released':
      return withPod(context, event, (pod) => ({ ...pod, released: event.cause }));
    case 'pod.failed':
      return withPod(context, event, (pod) => ({ ...pod, failures: pod.failures + 1 }));
    case 'pod.refused':
      return withPod(context, event, (pod) => ({ ...pod, isRefused: true }));
    case 'pod.validated':
      return withAnswer(context, event);
    default:
      return context;
  }
}

function withListed(context: RevisionContext): RevisionContext {
  const { revision, slices } = context;
  const isServed = revision !== undefined && !revision.deleting;
  return { ...context, listed: isServed ? listedPods(slices, revision.port) : new Map() };
}

/** As it was, where this activator is not listed (T-U7). */
function withPlace(context: RevisionContext): RevisionContext {
  const { revision, activators, settings, table } = context;
  if (revision === undefined) return context;
  const place = placeAmong(activators, revision, settings.address) ?? context.place;
  const { activators: count, place: at } = context.place;
  if (place.activators === count && place.place === at) return context;
  return { ...context, place, table: table && { ...table, isTold: false } };
}

/** What it had remembered is gone with the crash; the table knows the pods. */
function withTable(context: RevisionContext, opened: TableOpened): RevisionContext {
  const { revision } = context;
  const { version, attempts, pods, waiting } = opened;
  const limits = { limit: revision?.limit ?? 0, maxScale: revision?.maxScale ?? 0 };
  return {
    ...withPods(context, PersistentMap.of(pods.map((pod) => [pod.dest, foundPod(pod)]))),
    table: {
      version,
      attempts,
      limits,
      waiting,
      isTold: false,
      askedAt: undefined,
      isStopped: false,
    },
  };
}

function withDemand(context: RevisionContext, waiting: number): RevisionContext {
  const { table } = context;
  if (table === undefined || table.waiting === waiting) return context;
  const askedAt = waiting === 0 ? undefined : table.askedAt;
  return { ...context, table: { ...table, waiting, askedAt } };
}

/** What comes late, of an attempt that was given up, is no news. */
function withAnswer(
  context: RevisionContext,
  { dest, attempt, isOk, id }: Extract<RevisionFact, { type: 'pod.validated' }>,
): RevisionContext {
  const pod = context.pods.get(dest);
  if (pod?.validation?.attempt !== attempt) return context;
  const validation = { ...pod.validation, answer: { isOk, id } };
  return { ...context, pods: context.pods.set(dest, { ...pod, validation }) };
}

/** What is about another pod, which had the address before, is no news. */
function withPod(
  context: RevisionContext,
  { dest, id }: Pick<Pod, 'dest' | 'id'>,
  change: (pod: Pod) => Pod,
): RevisionContext {
  const pod = context.pods.get(dest);
  if (pod?.id !== id) return context;
  return { ...context, pods: context.pods.set(dest, change(pod)) };
}

/** With these in place of the ones before. */
export function withPods<C extends Pick<RevisionContext, 'pods' | 'totals'>>(
  context: C,
  pods: RevisionContext['pods'],
): C {
  const totals = new Map<PodLife, number>();
  for (const { life } of pods.values()) totals.set(life, (totals.get(life) ?? 0) + 1);
  return { ...context, pods, totals };
}

/** Of an actor whose chart says so. */
export function openedTable({ table }: RevisionContext): Table {
  if (table === undefined) throw new CoppiceError('ASSERTION', 'the table was not opened');
  return table;
}

/** What the chart of a pod looks at. */
export function situationOf(
  { settings, listed }: RevisionContext,
  { isEarly }: ObservedRevision,
  pod: Pod,
  now: Micros,
): Situation {
  const here = listed.get(pod.dest);
  return { pod, listed: here?.id === pod.id ? here : undefined, isEarly, settings, now };
}

/** Pods that requests may be given to. */
export const routableIn = ({ totals }: RevisionContext): number =>
  (totals.get('ready') ?? 0) + (totals.get('recovering') ?? 0);
