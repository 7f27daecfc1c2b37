// The replicas of a parent as rows: they live in a persistent radix tree and those touched since
// the last plan on a list, so that a fact costs the same for 5 replicas and for 5000, and a plan
// costs what was touched. How many are in which state is kept by difference. Used by the contexts
// of sets and of scaling groups.
import type { Intent, Publish } from '../../contract/intents.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import { moveRow, type RowChart, type RowStates, type RowTotals } from '../../statechart/rows.ts';
import { noClaims, type Claims } from '../objects/claims.ts';
import { emptyRadix, entries, get, set as place, type Radix } from './radix.ts';
import type { Termination } from './termination.ts';
import { isEmpty, type Family } from './type.ts';

/** What was observed of one replica, and what the last plan made of it. */
export interface Replica<Observed> {
  readonly children: Family<Observed>;
  /** The parent's own ResourceClaims that only this replica shares. */
  readonly claims: Claims;
  /** UIDs of children whose deletion was refused. */
  readonly refused: ReadonlySet<string>;
  /** Gang termination of it, from its beginning to its end. */
  readonly termination: Termination | undefined;
  readonly isTouched: boolean;
  /** Of its chart, as the last plan found them. */
  readonly states: RowStates;
}

/** A list that grows at its head at constant cost. */
interface Touched {
  readonly index: number;
  readonly rest: Touched | undefined;
}

/** What all replicas were planned for. */
interface Planned {
  readonly key: string;
  readonly wanted: number;
}

export interface ReplicaBook<Observed> {
  readonly replicas: Radix<Replica<Observed>>;
  /** One of which nothing was ever seen. */
  readonly unseen: Replica<Observed>;
  readonly touched: Touched | undefined;
  /** Replicas that something is due in, and when: they are planned from then on. */
  readonly dueAt: ReadonlyMap<number, EpochMs>;
  /** When this process has planned them first. */
  readonly plannedSince: EpochMs | undefined;
  /** Undefined: they were not planned yet. */
  readonly planned: Planned | undefined;
  /** How many replicas are in which state; those that are to go count while they are there. */
  readonly totals: RowTotals;
}

/** `children`: no child of any kind. */
export const emptyBook = <Observed>(children: Family<Observed>): ReplicaBook<Observed> => ({
  replicas: emptyRadix,
  unseen: {
    children,
    claims: noClaims,
    refused: new Set(),
    termination: undefined,
    isTouched: false,
    states: [],
  },
  touched: undefined,
  dueAt: new Map(),
  plannedSince: undefined,
  planned: undefined,
  totals: new Map(),
});

export const replicaAt = <Observed>(
  { replicas, unseen }: Pick<ReplicaBook<Observed>, 'replicas' | 'unseen'>,
  index: number,
): Replica<Observed> => get(replicas, index) ?? unseen;

/** The context with this replica changed and to be planned again. */
export function touch<Observed, Context>(
  context: Context & ReplicaBook<Observed>,
  index: number,
  change: (replica: Replica<Observed>) => Replica<Observed>,
): Context {
  const before = replicaAt(context, index);
  return { ...context, ...touched(context, index, before, change(before)) };
}

/**
 * The replicas with this one changed and on the list of touched ones. Before the first plan, which
 * is of all, there is no list, and what has nothing left is forgotten.
 */
function touched<Observed>(
  book: ReplicaBook<Observed>,
  index: number,
  before: Replica<Observed>,
  after: Replica<Observed>,
): Pick<ReplicaBook<Observed>, 'replicas' | 'touched'> {
  const { replicas } = book;
  if (book.planned === undefined) {
    const kept = hasNothingLeft(after) ? undefined : after;
    return { replicas: place(replicas, index, kept), touched: undefined };
  }
  return {
    replicas: place(replicas, index, { ...after, isTouched: true }),
    touched: before.isTouched ? book.touched : { index, rest: book.touched },
  };
}

const hasNothingLeft = <Observed>({ children, claims }: Replica<Observed>): boolean =>
  claims.size === 0 && isEmpty(children);

/** What a plan has found about a replica, besides what was observed of it. */
export interface Found {
  /** False: it is to go. */
  readonly isWanted: boolean;
  /** Its children are as they are wanted. */
  readonly isComplete: boolean;
  /** The actor of some child reads that something is wanted of it. */
  readonly isPublishing: boolean;
  /** When something is due in it; undefined: nothing is. */
  readonly dueAt: EpochMs | undefined;
  /** Gang termination of it, as it goes on. */
  readonly termination: Termination | undefined;
}

/** The row that the chart of a replica looks at. */
export type FoundReplica<Observed> = Found & { readonly replica: Replica<Observed> };

export interface ReplicaPlan {
  readonly intents: readonly Intent[];
  /** What the actors of children read; absent: nothing. */
  readonly published?: readonly Publish[];
  /** Nothing is left to do here; what their actors do counts as such. */
  readonly isComplete: boolean;
  readonly dueAt?: EpochMs | undefined;
  readonly termination?: Termination | undefined;
}

/** What gang termination adds to the plan of a replica. */
export interface TerminationPlan extends Pick<ReplicaPlan, 'intents' | 'dueAt' | 'termination'> {
  /** What is said and does not hold the replica up. */
  readonly said: readonly Intent[];
}

export const noTermination: TerminationPlan = { intents: [], said: [] };

interface Planner<Observed, O> {
  readonly own: O;
  readonly now: EpochMs;
  readonly chart: RowChart<FoundReplica<Observed>, O>;
  /** Another one than that of the last plan: all are planned. */
  readonly key: string;
  readonly wanted: number;
  readonly plan: (index: number, replica: Replica<Observed>) => ReplicaPlan;
  /** Of one that is to go. */
  readonly drop: (index: number, replica: Replica<Observed>) => ReplicaPlan;
}

interface Planning<Observed> {
  readonly intents: readonly Intent[];
  /** Of replicas that are to go since fewer are wanted, or as all were looked at. */
  readonly removals: readonly Intent[];
  readonly book: ReplicaBook<Observed>;
}

/**
 * Plans all replicas where the key is another one, else those that were touched, those that
 * something is due in and, where another number is wanted, those between the two numbers. Undefined
 * where there is nothing to plan.
 */
export function planReplicas<Observed, O>(
  before: ReplicaBook<Observed>,
  planner: Planner<Observed, O>,
): Planning<Observed> | undefined {
  const { key, wanted } = planner;
  const isFull = before.planned?.key !== key;
  const isScaled = before.planned?.wanted !== wanted;
  const overdue = dueBy(before, planner.now);
  if (!isFull && !isScaled && before.touched === undefined && overdue.length === 0) {
    return undefined;
  }
  const indices = isFull ? all(before, wanted) : due(before, wanted, overdue);
  const from = isFull ? { replicas: emptyRadix, totals: new Map(), dueAt: new Map() } : before;
  const rows: Rows<Observed> = {
    replicas: from.replicas,
    totals: new Map(from.totals),
    dueAt: new Map(from.dueAt),
  };
  const intents: Intent[] = [];
  const removals: Intent[] = [];
  const look = (index: number, isWanted: boolean): readonly Intent[] => {
    const replica = replicaAt(before, index);
    const plan = isWanted ? planner.plan(index, replica) : planner.drop(index, replica);
    const { intents: wanting, published = [], dueAt, termination } = plan;
    const isPublishing = published.some(({ item }) => item !== undefined);
    const isComplete = plan.isComplete && !isPublishing;
    const found = { isWanted, isComplete, isPublishing, dueAt, termination };
    keep(rows, planner, index, { replica, ...found });
    return [...wanting, ...published];
  };
  for (const index of indices) if (index < wanted) intents.push(...look(index, true));
  // The highest surplus index goes first.
  for (const index of indices.toReversed()) {
    if (index >= wanted) removals.push(...look(index, false));
  }
  intents.push(...removals);
  return {
    intents,
    removals: isFull || isScaled ? removals : [],
    book: {
      ...rows,
      unseen: before.unseen,
      touched: undefined,
      plannedSince: before.plannedSince ?? planner.now,
      planned: { key, wanted },
    },
  };
}

function all<Observed>({ replicas }: ReplicaBook<Observed>, wanted: number): readonly number[] {
  const indices = range(0, wanted);
  for (const [index] of entries(replicas)) if (index >= wanted) indices.push(index);
  return indices;
}

/** Those that something is due in by then. */
export const dueBy = ({ dueAt }: Pick<ReplicaBook<unknown>, 'dueAt'>, now: EpochMs): number[] =>
  dueAt.size === 0 ? [] : [...dueAt].flatMap(([index, at]) => (at <= now ? [index] : []));

/** When something is due next; undefined: nothing will be. */
export function nextDue(
  { dueAt }: Pick<ReplicaBook<unknown>, 'dueAt'>,
  now: EpochMs,
): EpochMs | undefined {
  let next: EpochMs | undefined;
  for (const at of dueAt.values()) if (at > now && at < (next ?? Infinity)) next = at;
  return next;
}

/** Ascending, each once. */
function due<Observed>(
  book: ReplicaBook<Observed>,
  wanted: number,
  overdue: readonly number[],
): readonly number[] {
  const before = book.planned?.wanted ?? wanted;
  const indices = new Set(range(Math.min(before, wanted), Math.max(before, wanted)));
  for (const index of overdue) indices.add(index);
  for (let item = book.touched; item !== undefined; item = item.rest) indices.add(item.index);
  return [...indices].toSorted((a, b) => a - b);
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, step) => from + step);

interface Rows<Observed> {
  replicas: Radix<Replica<Observed>>;
  readonly totals: Map<string, number>;
  readonly dueAt: Map<number, EpochMs>;
}

/** One that is to go is forgotten once nothing is left of it. In a full plan none is there at
 *  first. */
function keep<Observed, O>(
  rows: Rows<Observed>,
  { chart, own, now }: Planner<Observed, O>,
  index: number,
  found: FoundReplica<Observed>,
): void {
  const { replica, isWanted, dueAt, termination } = found;
  const isForgotten = !isWanted && hasNothingLeft(replica);
  const states = isForgotten ? [] : chart.statesOf(found, own, now);
  moveRow(rows.totals, get(rows.replicas, index)?.states ?? [], states);
  if (dueAt === undefined) rows.dueAt.delete(index);
  else rows.dueAt.set(index, dueAt);
  const after = isForgotten ? undefined : { ...replica, termination, states, isTouched: false };
  rows.replicas = place(rows.replicas, index, after);
}
