// The memory of a podcliqueset actor: its object, its replicas as rows, and what all of them share.
import type { ActorKey } from '../../contract/address.ts';
import { isOwnedBy } from '../../kubernetes/meta.ts';
import type { Rule } from '../../statechart/region.ts';
import type { StepResult } from '../../statechart/step.ts';
import { living } from '../children/reconcile.ts';
import { emptyBook } from '../children/replicas.ts';
import type { Replica as Row, ReplicaBook } from '../children/replicas.ts';
import type { Family } from '../children/type.ts';
import type { FailureLog } from '../failure-log.ts';
import { noClaims } from '../objects/claims.ts';
import type { Claims, Templates } from '../objects/claims.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';
import type { ObservedAccessObjects, ObservedChildren } from '../objects/set-children.ts';
import { noToken } from '../objects/token.ts';
import type { Token } from '../objects/token.ts';
import type { Level } from '../objects/topologybinding.ts';
import type { GroveInput, GroveSettings } from '../settings.ts';

export type Replica = Row<ObservedChildren>;

/** How the set stood when people were told last. */
export interface Health {
  readonly generation: number;
  readonly isAvailable: boolean;
  readonly isUpdated: boolean;
}

export interface SetContext extends ReplicaBook<ObservedChildren> {
  readonly key: ActorKey;
  readonly settings: GroveSettings;
  readonly set: ObservedSet | undefined;
  readonly isGone: boolean;
  /** Undefined after a start: then the status tells. */
  readonly health: Health | undefined;
  readonly access: Family<ObservedAccessObjects>;
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
  /** Of the topology that the set names; undefined: it is not there, or constraints are not passed
   *  on. */
  readonly levels: readonly Level[] | undefined;
  /** ComputeDomains that were made or deleted, until people are told. */
  readonly domainNews: DomainNews;
  readonly errors: FailureLog;
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

export const refOf = ({ namespace, name }: ObservedSet) =>
  ({ kind: 'PodCliqueSet', namespace, name }) as const;

export const startContext = ({ key, settings }: GroveInput): SetContext => ({
  key,
  settings,
  set: undefined,
  isGone: false,
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
  claims: noClaims,
  templates: new Map(),
  refusedAccess: new Set(),
  isOrphaning: false,
  levels: undefined,
  domainNews: noDomainNews,
  errors: [],
});

/** Names of the states of a replica. */
type ReplicaState =
  | 'children.complete'
  | 'children.pending'
  | 'gangs.pending'
  | 'availability.available'
  | 'availability.unavailable'
  | 'update.updated'
  | 'update.outdated';

export const replicasIn = ({ totals }: Pick<SetContext, 'totals'>, state: ReplicaState): number =>
  totals.get(state) ?? 0;

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
