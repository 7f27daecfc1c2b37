// How objects of Grove's kinds become events of actors: one row per kind. The router of the runtime
// calls `decode` on what it sees and hands the deliveries to the actors named.
import type { ActorKey } from '../../contract/address.ts';
import { route } from '../../contract/route.ts';
import type { Delivery, Route } from '../../contract/route.ts';
import type { Meta } from '../../kubernetes/meta.ts';
import type { ChildEvent } from '../children/reduce.ts';
import type { ChildFact } from '../children/type.ts';
import { label } from '../objects/labels.ts';
import { readPod } from '../objects/pod.ts';
import type { PodFact } from '../objects/pod.ts';
import { readClique } from '../objects/podclique.ts';
import type { CliqueFact } from '../objects/podclique.ts';
import { readSet } from '../objects/podcliqueset.ts';
import type { SetFact } from '../objects/podcliqueset.ts';
import { readGang } from '../objects/podgang.ts';
import type { GangFact } from '../objects/podgang.ts';
import { readPodGroup } from '../objects/podgroup.ts';
import type { BackendPodGroup, PodGroupKind } from '../objects/podgroup.ts';
import { readGroup } from '../objects/scalinggroup.ts';
import { readAccess, readAutoscaler, readDomain, readService } from '../objects/set-children.ts';
import type { AccessKind, DomainFact } from '../objects/set-children.ts';
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
  seen: (fact) => toSet(fact, event('set.observed', { fact })),
  gone: (fact) => toSet(fact, event('set.gone', { uid: fact.uid })),
  shown: templateOfSet,
};

function toSet(fact: SetFact, what: { readonly type: string }): readonly Delivery[] {
  const root = setKey(fact, fact.name);
  return [{ to: root, root, event: what }];
}

/** The actors of the owners: the set, and the group that controls a member. */
function ownersOf(fact: CliqueFact): readonly ActorKey[] {
  if (fact.owner?.kind !== 'PodCliqueScalingGroup') {
    return ownerSet(fact).map((name) => setKey(fact, name));
  }
  return [groupKey(fact, fact.owner.name), setKey(fact, fact.set)];
}

const ownerSet = (fact: Meta): readonly string[] =>
  fact.owner?.kind === 'PodCliqueSet' ? [fact.owner.name] : [];

const childSeen = (fact: ChildFact): ChildEvent => ({ type: 'child.observed', fact });

const childGone = ({ kind, name, uid }: ChildFact): ChildEvent => ({
  type: 'child.gone',
  kind,
  name,
  uid,
});

const cliqueRow: Row<'PodClique'> = {
  decode: readClique,
  seen: (fact) =>
    inTree(fact, [
      { to: cliqueKey(fact, fact.name), event: event('clique.observed', { fact }) },
      ...ownersOf(fact).map((to) => ({ to, event: childSeen(fact) })),
    ]),
  gone: (fact) =>
    inTree(fact, [
      { to: cliqueKey(fact, fact.name), event: event('clique.gone', uidAndName(fact)) },
      ...ownersOf(fact).map((to) => ({ to, event: childGone(fact) })),
    ]),
  shown: schedulingOfClique,
};

const groupRow: Row<'PodCliqueScalingGroup'> = {
  decode: readGroup,
  seen: (fact) =>
    inTree(fact, [
      { to: groupKey(fact, fact.name), event: event('group.observed', { fact }) },
      ...ownerSet(fact).map((name) => ({ to: setKey(fact, name), event: childSeen(fact) })),
    ]),
  gone: (fact) =>
    inTree(fact, [
      { to: groupKey(fact, fact.name), event: event('group.gone', uidAndName(fact)) },
      ...ownerSet(fact).map((name) => ({ to: setKey(fact, name), event: childGone(fact) })),
    ]),
};

/** A gang's PodCliques are those that it names, not those that its pods' names look like. */
const cliquesOf = ({ groups, ...fact }: GangFact): readonly ActorKey[] =>
  groups.filter(({ name }) => name !== '').map(({ name }) => cliqueKey(fact, name));

const toGang = (
  fact: GangFact,
  own: { readonly type: string },
  child: ChildEvent,
): readonly Delivery[] =>
  inTree(fact, [
    { to: gangKey(fact, fact.name), event: own },
    ...ownerSet(fact).map((name) => ({ to: setKey(fact, name), event: child })),
    ...cliquesOf(fact).map((to) => ({ to, event: own })),
  ]);

const gangRow: Row<'PodGang'> = {
  decode: readGang,
  seen: (fact) => toGang(fact, event('gang.observed', { fact }), childSeen(fact)),
  gone: (fact) => toGang(fact, event('gang.gone', uidAndName(fact)), childGone(fact)),
  shown: schedulingOfGang,
};

const podRow: Row<'Pod'> = {
  decode: readPod,
  seen: (fact) => podDeliveries(fact, 'observed'),
  gone: (fact) => podDeliveries(fact, 'gone'),
  shown: schedulingOfPod,
};

function podDeliveries(fact: PodFact, what: 'observed' | 'gone'): readonly Delivery[] {
  const set = fact.labels[label.partOf] ?? '';
  if (set === '') return [];
  const root = setKey(fact, set);
  const fields = what === 'observed' ? { fact } : uidAndName(fact);
  const owner = fact.owner?.kind === 'PodClique' ? [fact.owner.name] : [];
  return owner.map((name) => ({
    to: cliqueKey(fact, name),
    root,
    event: event(`pod.${what}`, fields),
  }));
}

const toOwner = (fact: Meta, what: { readonly type: string }): readonly Delivery[] =>
  ownerSet(fact).map((name) => ({ to: setKey(fact, name), root: setKey(fact, name), event: what }));

/** A child that has no actor of its own. */
const toOwners = {
  seen: (fact: ChildFact) => toOwner(fact, childSeen(fact)),
  gone: (fact: ChildFact) => toOwner(fact, childGone(fact)),
};

const serviceRow: Row<'Service'> = { decode: readService, ...toOwners };
const autoscalerRow: Row<'HorizontalPodAutoscaler'> = { decode: readAutoscaler, ...toOwners };

const domainRow: Row<'ComputeDomain'> = {
  decode: readDomain,
  seen: (fact) => toMaker(fact, childSeen(fact)),
  gone: (fact) => toMaker(fact, childGone(fact)),
};

/** Also where that set is gone: only its actor lets go of the domain. */
const toMaker = (fact: DomainFact, what: { readonly type: string }): readonly Delivery[] =>
  inTree(fact, [{ to: setKey(fact, fact.set), event: what }]);

const accessRow = (kind: AccessKind): Row<AccessKind> => ({
  decode: readAccess(kind),
  ...toOwners,
});

/** A binding is the root of its own tree. */
const bindingRow: Row<'ClusterTopologyBinding'> = {
  decode: readBinding,
  seen: (fact) => toBinding(fact, event('binding.observed', { fact })),
  gone: (fact) => toBinding(fact, event('binding.gone', { uid: fact.uid })),
  shown: levelsOf,
};

function toBinding(fact: Meta, what: { readonly type: string }): readonly Delivery[] {
  const key = keyOf('topologybinding')(fact, fact.name);
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
  seen: (fact) => toListeners(fact, event('podGroup.observed', { fact })),
  gone: (fact) => toListeners(fact, event('podGroup.gone', { kind, uid: fact.uid })),
});

/** A PodGroup is of the gang of its name, and lets in pods of PodCliques. */
const toListeners = (fact: BackendPodGroup, what: { readonly type: string }) =>
  inTree(fact, [
    { to: gangKey(fact, fact.name), event: what },
    ...cliquesIn(fact).map((name) => ({ to: cliqueKey(fact, name), event: what })),
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
