// How a row of routes.ts becomes a route: the facts of each kind, who may be told, and what keeps
// an object that belongs to no set from being told to anybody. Used by routes.ts and by the rows
// that stand beside their kind.
import type { ClaimFact, TemplateFact } from './claims/facts.ts';
import { at } from './json.ts';
import type { GroveKind } from './grove/kinds.ts';
import type { ActorKind } from './kinds.ts';
import type { Malformed, Meta } from './meta.ts';
import { isMalformed } from './meta.ts';
import type { KubeObject } from './objects.ts';
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
import type { ActorKey, Announcement, Delivery, Following, Route } from './vocabulary.ts';

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
export interface Row<K extends RoutedKind> {
  readonly decode: (object: KubeObject) => FactOf[K] | Malformed;
  readonly seen: (fact: FactOf[K], object: KubeObject) => readonly Delivery[];
  readonly gone: (fact: FactOf[K], object: KubeObject) => readonly Delivery[];
  readonly announced?: (fact: FactOf[K]) => readonly Announcement[];
  readonly followed?: (fact: FactOf[K]) => Following;
}

export function route<K extends RoutedKind>(kind: K, row: Row<K>): Route {
  const isMine = (fact: unknown): fact is FactOf[K] => at(fact, 'kind') === kind;
  return {
    kind,
    decode: (object) => {
      const fact = row.decode(object);
      return isMalformed(fact) ? { malformed: fact.malformed } : fact;
    },
    deliver: (fact, object) => (isMine(fact) ? row.seen(fact, object) : []),
    forget: (fact, object) => (isMine(fact) ? row.gone(fact, object) : []),
    announce: (fact) => (isMine(fact) ? (row.announced?.(fact) ?? []) : []),
    follow: (fact) => (isMine(fact) ? row.followed?.(fact) : undefined),
  };
}

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
