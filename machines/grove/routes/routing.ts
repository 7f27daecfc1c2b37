// What the rows of table.ts are made of: the facts of each kind, who may be told, and what keeps
// an object that belongs to no set from being told to anybody. Used by table.ts and by the rows
// that stand beside their kind.
import type { ActorKey } from '../../contract/address.ts';
import type { ActorKind } from '../../contract/kind.ts';
import type { RouteRow, Delivery } from '../../contract/route.ts';
import type { Meta } from '../../kubernetes/meta.ts';
import type { GroveKind } from '../kinds.ts';
import type { ObservedClaim, ObservedClaimTemplate } from '../objects/claims.ts';
import type { ObservedPod } from '../objects/pod.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';
import type { ObservedGang } from '../objects/podgang.ts';
import type { BackendPodGroup } from '../objects/podgroup.ts';
import type { ObservedGroup } from '../objects/scalinggroup.ts';
import type {
  ObservedAccess,
  ObservedAutoscaler,
  ObservedDomain,
  ObservedService,
} from '../objects/set-children.ts';
import type { ObservedBinding, ObservedTopology } from '../objects/topologybinding.ts';

type RoutedKind = Exclude<GroveKind, 'Secret'>;

/** What each kind is read as. */
export interface ObservedOf {
  PodCliqueSet: ObservedSet;
  PodClique: ObservedClique;
  PodCliqueScalingGroup: ObservedGroup;
  PodGang: ObservedGang;
  Pod: ObservedPod;
  Service: ObservedService;
  ServiceAccount: ObservedAccess;
  Role: ObservedAccess;
  RoleBinding: ObservedAccess;
  HorizontalPodAutoscaler: ObservedAutoscaler;
  ComputeDomain: ObservedDomain;
  ResourceClaim: ObservedClaim;
  ResourceClaimTemplate: ObservedClaimTemplate;
  ClusterTopologyBinding: ObservedBinding;
  Topology: ObservedTopology;
  KaiPodGroup: BackendPodGroup;
  VolcanoPodGroup: BackendPodGroup;
}

/** The facts of one kind: how to read them, and who is told with what. */
export type Row<K extends RoutedKind> = RouteRow<ObservedOf[K]>;

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
  observed: Meta & { set: string },
  deliveries: Omit<Delivery, 'root'>[],
): Delivery[] =>
  observed.set === ''
    ? []
    : deliveries.map((delivery) => ({ ...delivery, root: setKey(observed, observed.set) }));

/** An event with its fields. */
export const event = <T extends string, F extends object>(type: T, fields: F) => ({
  type,
  ...fields,
});
