// How objects of Grove's kinds become events of actors: one row per kind. The router of the runtime
// calls `decode` on what it sees and hands the deliveries to the actors named.
import type { ActorKey } from '../../contract/address.ts';
import { route } from '../../contract/route.ts';
import type { Delivery, Route } from '../../contract/route.ts';
import type { Meta } from '../../kubernetes/meta.ts';
import type { ChildEvent } from '../children/reduce.ts';
import type { ObservedChild } from '../children/type.ts';
import { label } from '../objects/labels.ts';
import { readPod } from '../objects/pod.ts';
import type { ObservedPod } from '../objects/pod.ts';
import { readClique } from '../objects/podclique.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import { readSet } from '../objects/podcliqueset.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';
import { readGang } from '../objects/podgang.ts';
import type { ObservedGang } from '../objects/podgang.ts';
import { readPodGroup } from '../objects/podgroup.ts';
import type { BackendPodGroup, PodGroupKind } from '../objects/podgroup.ts';
import { readGroup } from '../objects/scalinggroup.ts';
import { readAccess, readAutoscaler, readDomain, readService } from '../objects/set-children.ts';
import type { AccessKind, ObservedDomain } from '../objects/set-children.ts';
import { readBinding, readTopology } from '../objects/topologybinding.ts';
import { cliquesIn } from '../scheduler/backends.ts';
import { schedulingOfClique, schedulingOfGang, schedulingOfPod } from '../views/gang-scheduling.ts';
import { templateOfSet } from '../views/set-template.ts';
import { levelsOf, topologyIn } from '../views/topology.ts';
import { claimRow, claimTemplateRow } from './claims.ts';
import {
  cliqueKey,
  event,
  gangKey,
  groupKey,
  inTree,
  keyOf,
  setKey,
  uidAndName,
} from './routing.ts';
import type { Row } from './routing.ts';

const setRow: Row<'PodCliqueSet'> = {
  decode: readSet,
  seen: (observed) => toSet(observed, event('set.observed', { observed })),
  gone: (observed) => toSet(observed, event('set.gone', { uid: observed.uid })),
  shown: templateOfSet,
};

function toSet(observed: ObservedSet, what: { readonly type: string }): readonly Delivery[] {
  const root = setKey(observed, observed.name);
  return [{ to: root, root, event: what }];
}

/** The actors of the owners: the set, and the group that controls a member. */
function ownersOf(observed: ObservedClique): readonly ActorKey[] {
  if (observed.owner?.kind !== 'PodCliqueScalingGroup') {
    return ownerSet(observed).map((name) => setKey(observed, name));
  }
  return [groupKey(observed, observed.owner.name), setKey(observed, observed.set)];
}

const ownerSet = (observed: Meta): readonly string[] =>
  observed.owner?.kind === 'PodCliqueSet' ? [observed.owner.name] : [];

const childSeen = (observed: ObservedChild): ChildEvent => ({ type: 'child.observed', observed });

const childGone = ({ kind, name, uid }: ObservedChild): ChildEvent => ({
  type: 'child.gone',
  kind,
  name,
  uid,
});

const cliqueRow: Row<'PodClique'> = {
  decode: readClique,
  seen: (observed) =>
    inTree(observed, [
      { to: cliqueKey(observed, observed.name), event: event('clique.observed', { observed }) },
      ...ownersOf(observed).map((to) => ({ to, event: childSeen(observed) })),
    ]),
  gone: (observed) =>
    inTree(observed, [
      { to: cliqueKey(observed, observed.name), event: event('clique.gone', uidAndName(observed)) },
      ...ownersOf(observed).map((to) => ({ to, event: childGone(observed) })),
    ]),
  shown: schedulingOfClique,
};

const groupRow: Row<'PodCliqueScalingGroup'> = {
  decode: readGroup,
  seen: (observed) =>
    inTree(observed, [
      { to: groupKey(observed, observed.name), event: event('group.observed', { observed }) },
      ...ownerSet(observed).map((name) => ({
        to: setKey(observed, name),
        event: childSeen(observed),
      })),
    ]),
  gone: (observed) =>
    inTree(observed, [
      { to: groupKey(observed, observed.name), event: event('group.gone', uidAndName(observed)) },
      ...ownerSet(observed).map((name) => ({
        to: setKey(observed, name),
        event: childGone(observed),
      })),
    ]),
};

/** A gang's PodCliques are those that it names, not those that its pods' names look like. */
const cliquesOf = ({ groups, ...observed }: ObservedGang): readonly ActorKey[] =>
  groups.filter(({ name }) => name !== '').map(({ name }) => cliqueKey(observed, name));

const toGang = (
  observed: ObservedGang,
  own: { readonly type: string },
  child: ChildEvent,
): readonly Delivery[] =>
  inTree(observed, [
    { to: gangKey(observed, observed.name), event: own },
    ...ownerSet(observed).map((name) => ({ to: setKey(observed, name), event: child })),
    ...cliquesOf(observed).map((to) => ({ to, event: own })),
  ]);

const gangRow: Row<'PodGang'> = {
  decode: readGang,
  seen: (observed) => toGang(observed, event('gang.observed', { observed }), childSeen(observed)),
  gone: (observed) =>
    toGang(observed, event('gang.gone', uidAndName(observed)), childGone(observed)),
  shown: schedulingOfGang,
};

const podRow: Row<'Pod'> = {
  decode: readPod,
  seen: (observed) => podDeliveries(observed, 'observed'),
  gone: (observed) => podDeliveries(observed, 'gone'),
  shown: schedulingOfPod,
};

function podDeliveries(observed: ObservedPod, what: 'observed' | 'gone'): readonly Delivery[] {
  const set = observed.labels[label.partOf] ?? '';
  if (set === '') return [];
  const root = setKey(observed, set);
  const fields = what === 'observed' ? { observed } : uidAndName(observed);
  const owner = observed.owner?.kind === 'PodClique' ? [observed.owner.name] : [];
  return owner.map((name) => ({
    to: cliqueKey(observed, name),
    root,
    event: event(`pod.${what}`, fields),
  }));
}

const toOwner = (observed: Meta, what: { readonly type: string }): readonly Delivery[] =>
  ownerSet(observed).map((name) => ({
    to: setKey(observed, name),
    root: setKey(observed, name),
    event: what,
  }));

/** A child that has no actor of its own. */
const toOwners = {
  seen: (observed: ObservedChild) => toOwner(observed, childSeen(observed)),
  gone: (observed: ObservedChild) => toOwner(observed, childGone(observed)),
};

const serviceRow: Row<'Service'> = { decode: readService, ...toOwners };
const autoscalerRow: Row<'HorizontalPodAutoscaler'> = { decode: readAutoscaler, ...toOwners };

const domainRow: Row<'ComputeDomain'> = {
  decode: readDomain,
  seen: (observed) => toMaker(observed, childSeen(observed)),
  gone: (observed) => toMaker(observed, childGone(observed)),
};

/** Also where that set is gone: only its actor lets go of the domain. */
const toMaker = (observed: ObservedDomain, what: { readonly type: string }): readonly Delivery[] =>
  inTree(observed, [{ to: setKey(observed, observed.set), event: what }]);

const accessRow = (kind: AccessKind): Row<AccessKind> => ({
  decode: readAccess(kind),
  ...toOwners,
});

/** A binding is the root of its own tree. */
const bindingRow: Row<'ClusterTopologyBinding'> = {
  decode: readBinding,
  seen: (observed) => toBinding(observed, event('binding.observed', { observed })),
  gone: (observed) => toBinding(observed, event('binding.gone', { uid: observed.uid })),
  shown: levelsOf,
};

function toBinding(observed: Meta, what: { readonly type: string }): readonly Delivery[] {
  const key = keyOf('topologybinding')(observed, observed.name);
  return [{ to: key, root: key, event: what }];
}

const topologyRow: Row<'Topology'> = {
  decode: readTopology,
  seen: () => [],
  gone: () => [],
  shown: topologyIn,
};

const podGroupRow = (kind: PodGroupKind): Row<PodGroupKind> => ({
  decode: readPodGroup(kind),
  seen: (observed) => toListeners(observed, event('podGroup.observed', { observed })),
  gone: (observed) => toListeners(observed, event('podGroup.gone', { kind, uid: observed.uid })),
});

/** A PodGroup is of the gang of its name, and lets in pods of PodCliques. */
const toListeners = (observed: BackendPodGroup, what: { readonly type: string }) =>
  inTree(observed, [
    { to: gangKey(observed, observed.name), event: what },
    ...cliquesIn(observed).map((name) => ({ to: cliqueKey(observed, name), event: what })),
  ]);

/** The runtime calls nothing else of Grove with an object. */
export const routes: readonly Route[] = [
  route('PodCliqueSet', setRow),
  route('PodClique', cliqueRow),
  route('PodCliqueScalingGroup', groupRow),
  route('PodGang', gangRow),
  route('Pod', podRow),
  route('Service', serviceRow),
  route('ServiceAccount', accessRow('ServiceAccount')),
  route('Role', accessRow('Role')),
  route('RoleBinding', accessRow('RoleBinding')),
  route('HorizontalPodAutoscaler', autoscalerRow),
  route('ComputeDomain', domainRow),
  route('ResourceClaim', claimRow),
  route('ResourceClaimTemplate', claimTemplateRow),
  route('ClusterTopologyBinding', bindingRow),
  route('Topology', topologyRow),
  route('KaiPodGroup', podGroupRow('KaiPodGroup')),
  route('VolcanoPodGroup', podGroupRow('VolcanoPodGroup')),
];
