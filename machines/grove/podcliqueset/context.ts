// The memory of a podcliqueset actor: its object, its replicas as rows, and what all of them share.
import { isOwnedBy } from '../../kubernetes/meta.ts';
import type { Rule } from '../../statechart/region.ts';
import type { StepResult } from '../../statechart/step.ts';
import { living } from '../children/reconcile.ts';
import { emptyBook, type Replica as Row, type ReplicaBook } from '../children/replicas.ts';
import { sameForAll, type Family } from '../children/type.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';
import type { SetProgress } from '../objects/progress.ts';
import type { ObservedAccessObjects, ObservedChildren } from '../objects/set-children.ts';
import type { Level } from '../objects/topologybinding.ts';
import type { GroveInput, GroveSettings } from '../settings.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import type { ClaimScope } from '../claims/scope.ts';
import { label } from '../objects/labels.ts';
import { claimsOf, startSharer, type SharingContext } from '../claims/reduce.ts';

export type Replica = Row<ObservedChildren>;

/** How the set stood when people were told last. */
export interface Health {
  readonly generation: number;
  readonly isAvailable: boolean;
  readonly isUpdated: boolean;
}

export interface SetContext extends ReplicaBook<ObservedChildren>, SharingContext {
  readonly settings: GroveSettings;
  readonly set: ObservedSet | undefined;
  /** Undefined after a start: then the status tells. */
  readonly health: Health | undefined;
  readonly access: Family<ObservedAccessObjects>;
  readonly token: Token;
  /** UIDs of access objects whose deletion was refused. */
  readonly refusedAccess: ReadonlySet<string>;
  /** Of the topology that the set names; undefined: it is not there, or constraints are not passed
   *  on. */
  readonly levels: readonly Level[] | undefined;
  /** What the status is to say of the update, until it is written; undefined: what it says. */
  readonly decided: SetRollout | undefined;
  /** ComputeDomains that were made or deleted, until people are told. */
  readonly domainNews: DomainNews;
}

export interface SetRollout {
  /** Of the generation that is the current one; undefined: none has been yet. */
  readonly hash: string | undefined;
  readonly progress: SetProgress | undefined;
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
export type Step = Rule<SetContext, ObservedSet, Result>;

/** What is asked of the actor and its object. */
export type Query<R> = (context: SetContext, own: ObservedSet) => R;

export const startContext = ({ key, settings }: GroveInput): SetContext => ({
  ...startSharer,
  key,
  settings,
  set: undefined,
  ...emptyBook<ObservedChildren>({
    Service: new Map(),
    ComputeDomain: new Map(),
    PodClique: new Map(),
    PodCliqueScalingGroup: new Map(),
    PodGang: new Map(),
    HorizontalPodAutoscaler: new Map(),
  }),
  health: undefined,
  access: { ServiceAccount: new Map(), Role: new Map(), RoleBinding: new Map() },
  token: noToken,
  refusedAccess: new Set(),
  levels: undefined,
  domainNews: noDomainNews,
  decided: undefined,
});

/** Names of the states of a replica. */
type ReplicaState =
  | 'children.complete'
  | 'children.pending'
  | 'gangs.pending'
  | 'availability.available'
  | 'availability.unavailable'
  | 'update.updated'
  | 'update.outdated'
  | 'turn.done'
  | 'turn.harmless'
  | 'termination.breached'
  | 'termination.due'
  | 'termination.terminating'
  | 'termination.recovering';

/** What replicas count. */
type ReplicaCount = 'cliques.updated' | 'groups.updated';

export const replicasIn = ({ totals }: Pick<SetContext, 'totals'>, state: ReplicaState): number =>
  totals.get(state) ?? 0;

export const totalOf = ({ totals }: Pick<SetContext, 'totals'>, what: ReplicaCount): number =>
  totals.get(what) ?? 0;

export const isIn = ({ states }: Replica, state: ReplicaState): boolean => states.includes(state);

/** The member if it is controlled by its group, which must be this very set's, and stays. */
export const livingMember = (
  replica: Replica,
  owner: ObservedSet,
  group: string,
  member: string,
): ObservedClique | undefined => {
  const { PodClique: cliques, PodCliqueScalingGroup: groups } = replica.children;
  const there = cliques.get(member);
  const uid = living(groups.get(group), owner)?.uid;
  if (there === undefined || there.deleting || uid === undefined) return undefined;
  return isOwnedBy(there, 'PodCliqueScalingGroup', uid) ? there : undefined;
};

/** What the set's actor was answered since it first saw the set. */
export interface Token {
  /** The set was seen without our finalizer: nobody had made a Secret for it. */
  readonly isFresh: boolean;
  /** A create was not answered, and may have been done. */
  readonly isUnsure: boolean;
  /** UID of the Secret that is ours by the answer to a create. */
  readonly uid: string | undefined;
  /** The last create was refused since the name is taken. */
  readonly isTaken: boolean;
  /** It may be about to go, or gone. */
  readonly needsResync: boolean;
  /** The name of its ServiceAccount is taken, and the account is not ours. */
  readonly isForeign: boolean;
  /** UID of the ServiceAccount when the create was planned that has no answer yet; empty where that
   *  is somebody else's. */
  readonly plannedFor: string | undefined;
  /** Refusals since the Secret was known to be ours, or was doubted. */
  readonly refusals: number;
  /** From when on it is created (again); undefined: the next plan says. */
  readonly nextAt: EpochMs | undefined;
  /** It was deleted together with its set. */
  readonly isGone: boolean;
}

export const noToken: Token = {
  isFresh: false,
  isUnsure: false,
  uid: undefined,
  isTaken: false,
  needsResync: false,
  isForeign: false,
  plannedFor: undefined,
  refusals: 0,
  nextAt: 0,
  isGone: false,
};

/** The same for all replicas of a plan. */
export interface PlanOptions {
  /** False while no PodClique or group may be made: their pods would mount a token Secret that may
   *  be somebody else's, or claims that they share are missing. */
  readonly mayCreate: boolean;
  /** False: the switch is off, so no ComputeDomain is created. */
  readonly makesDomains: boolean;
  /** Of the backend that the gangs are for. */
  readonly schedulerName: string;
  /** How domains translate; undefined: constraints are not passed on. */
  readonly topology: Topology | undefined;
}

export interface ReplicaScope extends PlanOptions {
  readonly set: ObservedSet;
  readonly index: number;
  readonly replica: Replica;
}

/** In Grove these are told as PodCliques are (spec controllers 9.3). */
export const usualReason = sameForAll('PodCliqueCreateOrUpdateFailed', 'PodCliqueDeleteFailed');

/** The ResourceClaims of the set itself; those of groups and cliques are their own. */
export const sharedIn: Query<ClaimScope> = (context, set) => ({
  owner: set,
  set,
  sharedClaims: set.sharing.sharedClaims,
  claimsIn: claimsOf(context),
  replicas: set.replicas,
  labels: {},
  indexLabel: label.replicaIndex,
  templates: context.templates,
  code: 'ERR_SYNC_PCS_RESOURCE_CLAIM',
  place: 'the set',
});

/** Undefined levels: there is no binding of that name. */
export interface Topology {
  /** Empty where no constraint names one. */
  readonly name: string;
  readonly levels: readonly Level[] | undefined;
}

/** Undefined where placement by topology is switched off. */
export const topologyOf: Query<Topology | undefined> = ({ settings, levels }, set) =>
  settings.isTopologyAware ? { name: set.topologyName, levels } : undefined;
