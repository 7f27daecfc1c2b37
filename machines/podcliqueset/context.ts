// The memory of a podcliqueset actor. Replicas live in a persistent radix tree and those touched
// since the last reconcile on a list, so that a fact costs the same for 5 replicas and for 5000,
// and a reconcile costs what was touched.
import type { MachineInput, MachineSettings } from '../behaviour.ts';
import { noClaims } from '../claims/facts.ts';
import type { Claims, Templates } from '../claims/facts.ts';
import type { ErrorBook } from '../errorbook.ts';
import { isOwnedBy } from '../meta.ts';
import type { Meta } from '../meta.ts';
import type { CliqueFact } from '../podclique/facts.ts';
import type { GangFact } from '../podgang/facts.ts';
import { emptyRadix, get, set } from '../radix.ts';
import type { Radix } from '../radix.ts';
import type { GroupFact } from '../scalinggroup/facts.ts';
import type { Rule } from '../statechart/region.ts';
import type { RowStates, RowTotals } from '../statechart/rows.ts';
import type { StepResult } from '../statechart/step.ts';
import type { Level } from '../topologybinding/facts.ts';
import type { ActorKey } from '../vocabulary.ts';
import type {
  AccessFact,
  AccessKind,
  AutoscalerFact,
  DomainFact,
  ServiceFact,
} from './childfacts.ts';
import type { SetFact } from './facts.ts';
import { noToken } from './token.ts';
import type { Token } from './token.ts';

/** Children by what follows the replica's number in their names (`placeOf`). */
export type Children<T> = ReadonlyMap<string, T>;

/** What was observed of one replica, and what the last plan made of it. */
export interface Replica {
  readonly service: ServiceFact | undefined;
  /** The base gang has the empty key. */
  readonly gangs: Children<GangFact>;
  /** Standalone ones and members of scaling groups. */
  readonly cliques: Children<CliqueFact>;
  readonly groups: Children<GroupFact>;
  readonly autoscalers: Children<AutoscalerFact>;
  /** ComputeDomains by group. */
  readonly domains: Children<DomainFact>;
  /** The set's own ResourceClaims that only this replica shares. */
  readonly claims: Claims;
  /** UIDs of children whose deletion was refused. */
  readonly refused: ReadonlySet<string>;
  /** Is on the list of touched ones. */
  readonly isTouched: boolean;
  /** Of its chart (replica.ts), as the last plan found them. */
  readonly states: RowStates;
}

/** A list that grows at its head at constant cost. */
export interface Touched {
  readonly index: number;
  readonly rest: Touched | undefined;
}

/** An object that the set owns. */
export type Child =
  | CliqueFact
  | GroupFact
  | GangFact
  | ServiceFact
  | AutoscalerFact
  | DomainFact
  | AccessFact;

/** How the set stood when people were told last. */
export interface Health {
  readonly generation: number;
  readonly isAvailable: boolean;
  readonly isUpdated: boolean;
}

/** The levels of a ClusterTopologyBinding, as they were announced. */
export interface Announced {
  readonly uid: string;
  readonly levels: readonly Level[];
}

export interface SetContext {
  readonly key: ActorKey;
  readonly settings: MachineSettings;
  readonly set: SetFact | undefined;
  readonly isGone: boolean;
  readonly replicas: Radix<Replica>;
  readonly touched: Touched | undefined;
  /** The `planKey` that all replicas were planned for; another one calls for the full plan. */
  readonly plannedFor: string | undefined;
  /** How many replicas are in which state; surplus ones that are going are pending. */
  readonly totals: RowTotals;
  /** Undefined after a start: then the status tells. */
  readonly health: Health | undefined;
  readonly access: Readonly<Partial<Record<AccessKind, AccessFact>>>;
  /** What is known of the token Secret. */
  readonly token: Token;
  /** The set's own ResourceClaims that all replicas share. */
  readonly claims: Claims;
  /** Claim templates of the cluster that the set refers to. */
  readonly templates: Templates;
  /** UIDs of access objects whose deletion was refused. */
  readonly refusedAccess: ReadonlySet<string>;
  /** The set was deleted with its children to be kept: said by a finalizer, which others take away
   *  before us. */
  readonly isOrphaning: boolean;
  /** Every topology of the cluster, by name: which one the set means may be known later. Empty
   *  where topology constraints are not passed on. */
  readonly topologies: ReadonlyMap<string, Announced>;
  /** ComputeDomains that were made or deleted, until people are told. */
  readonly domainNews: DomainNews;
  readonly errors: ErrorBook;
}

/** Objects to tell of in one sentence. */
export interface Several {
  readonly first: string;
  readonly many: number;
}

export interface DomainNews {
  readonly made?: Several;
  readonly gone?: Several;
}

export const noDomainNews: DomainNews = {};

export type Result = StepResult<SetContext>;
export type Step = Rule<SetContext, SetFact, Result>;

export const refOf = ({ namespace, name }: SetFact) =>
  ({ kind: 'PodCliqueSet', namespace, name }) as const;

export const emptyReplica: Replica = {
  service: undefined,
  gangs: new Map(),
  cliques: new Map(),
  groups: new Map(),
  autoscalers: new Map(),
  domains: new Map(),
  claims: noClaims,
  refused: new Set(),
  isTouched: false,
  states: [],
};

export const startContext = ({ key, settings }: MachineInput): SetContext => ({
  key,
  settings,
  set: undefined,
  isGone: false,
  replicas: emptyRadix,
  touched: undefined,
  plannedFor: undefined,
  totals: new Map(),
  health: undefined,
  access: {},
  token: noToken,
  claims: noClaims,
  templates: new Map(),
  refusedAccess: new Set(),
  isOrphaning: false,
  topologies: new Map(),
  domainNews: noDomainNews,
  errors: [],
});

/** Names of the states of a replica. */
type ReplicaState =
  | 'children.complete'
  | 'children.pending'
  | 'availability.available'
  | 'availability.unavailable'
  | 'update.updated'
  | 'update.outdated';

export const replicasIn = ({ totals }: Pick<SetContext, 'totals'>, state: ReplicaState): number =>
  totals.get(state) ?? 0;

export const isIn = ({ states }: Replica, state: ReplicaState): boolean => states.includes(state);

export const replicaAt = (context: SetContext, index: number): Replica =>
  get(context.replicas, index) ?? emptyReplica;

/**
 * The context with this replica changed and on the list of touched ones. Before the set itself was
 * seen there is no list, as the first plan is the full one, and what has nothing left is forgotten.
 */
export function touch(
  context: SetContext,
  index: number,
  change: (replica: Replica) => Replica,
): SetContext {
  const before = replicaAt(context, index);
  const after = change(before);
  if (context.set === undefined) {
    const kept = hasNothingLeft(after) ? undefined : after;
    return { ...context, replicas: set(context.replicas, index, kept) };
  }
  return {
    ...context,
    replicas: set(context.replicas, index, { ...after, isTouched: true }),
    touched: before.isTouched ? context.touched : { index, rest: context.touched },
  };
}

/** The indices on the list, ascending. */
export function touchedIndices(context: SetContext): readonly number[] {
  const indices: number[] = [];
  for (let item = context.touched; item !== undefined; item = item.rest) indices.push(item.index);
  return indices.toSorted((a, b) => a - b);
}

/** The object if it is controlled by this very set and stays. */
export const living = <T extends Meta>(child: T | undefined, owner: SetFact): T | undefined =>
  child !== undefined && !child.deleting && isOwnedBy(child, 'PodCliqueSet', owner.uid)
    ? child
    : undefined;

/** The member if it is controlled by its group, which must be this very set's, and stays. */
export const livingMember = (
  replica: Replica,
  owner: SetFact,
  group: string,
  member: string,
): CliqueFact | undefined => {
  const there = replica.cliques.get(member);
  const uid = living(replica.groups.get(group), owner)?.uid;
  if (there === undefined || there.deleting || uid === undefined) return undefined;
  return isOwnedBy(there, 'PodCliqueScalingGroup', uid) ? there : undefined;
};

/**
 * What was observed of a replica: who scales, then PodCliques and groups, then the rest. Claims are
 * left out: pods that are terminating use them still, so the garbage collector takes them.
 */
export const childrenOf = (replica: Replica): readonly Child[] => [
  ...replica.autoscalers.values(),
  ...replica.cliques.values(),
  ...replica.groups.values(),
  ...replica.gangs.values(),
  ...replica.domains.values(),
  ...(replica.service === undefined ? [] : [replica.service]),
];

/** What gives the start-up containers access. */
export const accessOf = ({ access }: SetContext): readonly AccessFact[] => Object.values(access);

export const hasNothingLeft = (replica: Replica): boolean =>
  replica.service === undefined &&
  replica.gangs.size === 0 &&
  replica.cliques.size === 0 &&
  replica.groups.size === 0 &&
  replica.autoscalers.size === 0 &&
  replica.domains.size === 0 &&
  replica.claims.size === 0;
