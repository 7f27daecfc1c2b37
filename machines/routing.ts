// What the rows of routes.ts are made of: the facts of each kind, who may be told, and what keeps
// an object that belongs to no set from being told to anybody. Used by routes.ts and by the rows
// that stand beside their kind.
import type { ClaimFact, TemplateFact } from './claims/facts.ts';
import type { GroveKind } from './grove/kinds.ts';
import type { ActorKind } from './kinds.ts';
import type { Meta } from './meta.ts';
import type { CliqueFact } from './podclique/facts.ts';
import type { PodFact } from './podclique/podfact.ts';
import type {
  AccessFact,
  AutoscalerFact,
  DomainFact,
  ServiceFact,
} from './podcliqueset/childfacts.ts';
import type { SetFact } from './podcliqueset/facts.ts';
import type { GangFact } from './podgang/facts.ts';
import type { GroupFact } from './scalinggroup/facts.ts';
import type { BackendPodGroup } from './scheduler/facts.ts';
import type { BindingFact, TopologyFact } from './topologybinding/facts.ts';
import type { RouteRow } from './route.ts';
import type { ActorKey, Delivery } from './vocabulary.ts';

type RoutedKind = Exclude<GroveKind, 'Secret'>;

/** What each kind is read as. */
export interface FactOf {
  PodCliqueSet: SetFact;
  PodClique: CliqueFact;
  PodCliqueScalingGroup: GroupFact;
  PodGang: GangFact;
  Pod: PodFact;
  Service: ServiceFact;
  ServiceAccount: AccessFact;
  Role: AccessFact;
  RoleBinding: AccessFact;
  HorizontalPodAutoscaler: AutoscalerFact;
  ComputeDomain: DomainFact;
  ResourceClaim: ClaimFact;
  ResourceClaimTemplate: TemplateFact;
  ClusterTopologyBinding: BindingFact;
  Topology: TopologyFact;
  KaiPodGroup: BackendPodGroup;
  VolcanoPodGroup: BackendPodGroup;
}

/** The facts of one kind: how to read them, and who is told with what. */
export type Row<K extends RoutedKind> = RouteRow<FactOf[K]>;

type Key = (meta: Pick<Meta, 'namespace'>, name: string) => ActorKey;

export const keyOf =
  (kind: ActorKind): Key =>
  ({ namespace }, name) => ({ kind, namespace, name });

export const setKey = keyOf('podcliqueset');
export const cliqueKey = keyOf('podclique');
export const groupKey = keyOf('scalinggroup');
export const gangKey = keyOf('podgang');

export const uidAndName = ({ uid, name }: Meta): { uid: string; name: string } => ({ uid, name });

/** Nobody is told of an object that belongs to no PodCliqueSet. */
export const inTree = (
  fact: Meta & { set: string },
  deliveries: Omit<Delivery, 'root'>[],
): Delivery[] =>
  fact.set === ''
    ? []
    : deliveries.map((delivery) => ({ ...delivery, root: setKey(fact, fact.set) }));

/** An event with its fields. */
export const event = <T extends string, F extends object>(type: T, fields: F) => ({
  type,
  ...fields,
});
