// What the observer counts and what can be claimed of it: the vocabulary between the benchmark and
// its observer, which are two processes. Both sides use it.
import { at, count, isObject, text } from '#machines/kubernetes/json.ts';

export const counters = [
  /** Pods that ever were there, by UID. */
  'podsEver',
  'podsAlive',
  /** They have a node. */
  'podsBound',
  'podsReady',
  /** Those that are ready and have the image of an update. */
  'podsUpdated',
  'podcliquesAlive',
  'podgangsAlive',
  'podgangsInitialized',
  'podgangsRunning',
  'servicesAlive',
  'setsAlive',
  /** `status.availableReplicas` of the PodCliqueSets. */
  'replicasAvailable',
  /** The same of `status.updatedReplicas`. */
  'replicasUpdated',
  /** PodCliqueSets that say that their update has ended. */
  'setsUpdated',
] as const;
export type Counter = (typeof counters)[number];

/** Of the pods to which an update goes. */
export const updatedImage = 'registry.example/none:2';

export type Counts = Readonly<Record<Counter, number>>;

/** Bounds that must all hold at the same moment. */
export type Claim = Readonly<Partial<Record<Counter, { readonly is?: number; least?: number }>>>;

export const holds = (claim: Claim, counts: Counts): boolean =>
  counters.every((counter) => {
    const bound = claim[counter];
    if (bound === undefined) return true;
    const value = counts[counter];
    return value >= (bound.least ?? 0) && (bound.is === undefined || value === bound.is);
  });

/** To the observer. */
export type Order =
  | { readonly order: 'await'; readonly id: number; readonly claim: Claim }
  | { readonly order: 'count'; readonly id: number };

/** From the observer; times in milliseconds of the clock of the machine that both read. */
export type Notice =
  | { readonly notice: 'synced' }
  | { readonly notice: 'met'; readonly id: number; readonly atMs: number }
  | { readonly notice: 'counted'; readonly id: number; readonly counts: Counts };

/** Milliseconds since some moment before the machine's processes began: the same for all of them,
 *  and it never goes back. */
export const machineMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Undefined for what is no order. */
export function readOrder(message: unknown): Order | undefined {
  const id = count(at(message, 'id'));
  if (id === undefined) return undefined;
  const order = text(at(message, 'order'));
  if (order === 'count') return { order, id };
  return order === 'await' ? { order, id, claim: readClaim(at(message, 'claim')) } : undefined;
}

function readClaim(value: unknown): Claim {
  const bounds = counters.flatMap((counter) => {
    const bound = at(value, counter);
    if (!isObject(bound)) return [];
    const is = count(bound['is']);
    const least = count(bound['least']);
    return [
      [counter, { ...(is === undefined ? {} : { is }), ...(least === undefined ? {} : { least }) }],
    ];
  });
  return Object.fromEntries(bounds) as Claim;
}

/** Undefined for what is no notice. */
export function readNotice(message: unknown): Notice | undefined {
  const notice = text(at(message, 'notice'));
  if (notice === 'synced') return { notice };
  const id = count(at(message, 'id'));
  if (id === undefined) return undefined;
  const atMs = at(message, 'atMs');
  if (notice === 'met' && typeof atMs === 'number') return { notice, id, atMs };
  return notice === 'counted'
    ? { notice, id, counts: readCounts(at(message, 'counts')) }
    : undefined;
}

const readCounts = (value: unknown): Counts =>
  Object.fromEntries(
    counters.map((counter) => [counter, count(at(value, counter)) ?? 0]),
  ) as Counts;
