// How objects of Grove's kinds become events of actors: one row per kind. The router of the runtime
// calls `decode` on what it sees and hands the deliveries to the actors named.
import type { ActorKey } from '../../contract/address.ts';
import type { ActorKind } from '../../contract/kind.ts';
import { route, type Delivery, type Route } from '../../contract/route.ts';
import type { Entry } from '../../contract/view.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { KubeObject } from '../../kubernetes/objects.ts';
import type { ObservedChild } from '../children/type.ts';
import { readClaim, readTemplate, type ObservedClaim } from '../objects/claims.ts';
import { label } from '../objects/labels.ts';
import { ownerSet } from '../objects/meta.ts';
import { readPod } from '../objects/pod.ts';
import { readClique, type ObservedClique } from '../objects/podclique.ts';
import { readSet } from '../objects/podcliqueset.ts';
import { readGang, readPodGroup, type PodGroupKind } from '../objects/podgang.ts';
import { readGroup } from '../objects/scalinggroup.ts';
import { readAccess, readDomain, readSpec, type AccessKind } from '../objects/set-children.ts';
import { readBinding, readTopology } from '../objects/topologybinding.ts';
import { cliquesIn } from '../scheduler/backends.ts';
import { templateIn, templateOfSet } from '../views/claim-template.ts';
import { schedulingOfClique, schedulingOfGang, schedulingOfPod } from '../views/gang-scheduling.ts';
import { rolloutOfSet } from '../views/rollout.ts';
import { levelsOf, topologyIn } from '../views/topology.ts';
import { triggerOfSet } from '../views/trigger.ts';

/** Who is told, and what the object is to it: it gets `<what>.observed` or `<what>.gone`. */
interface Receiver {
  readonly to: ActorKey;
  readonly root: ActorKey;
  readonly what: string;
}

interface Row<F> {
  readonly decode: (object: KubeObject) => F | Malformed;
  readonly told?: (observed: F) => readonly Receiver[];
  readonly shown?: (observed: F) => readonly Entry[];
}

function row<F extends ObservedChild>(kind: F['kind'], { told, ...others }: Row<F>): Route {
  const deliveries = (observed: F, how: string, fields: object): readonly Delivery[] =>
    (told?.(observed) ?? []).map(({ to, root, what }) => {
      const event = { type: `${what}.${how}`, ...fields };
      return { to, root, event };
    });
  return route<F>(kind, {
    ...others,
    seen: (observed) => deliveries(observed, 'observed', { observed }),
    gone: (observed) => {
      const { name, uid } = observed;
      return deliveries(observed, 'gone', { kind, name, uid });
    },
  });
}

type Address = Pick<Meta, 'namespace'>;

const keyOf =
  (kind: ActorKind) =>
  ({ namespace }: Address, name: string): ActorKey => ({ kind, namespace, name });

const setKey = keyOf('podcliqueset');
const cliqueKey = keyOf('podclique');
const groupKey = keyOf('scalinggroup');
const gangKey = keyOf('podgang');

type Told = readonly [to: ActorKey, what: string];

/** Nobody is told of an object that belongs to no PodCliqueSet. */
const inTree = (observed: Address, set: string, told: readonly Told[]): readonly Receiver[] =>
  set === '' ? [] : told.map(([to, what]) => ({ to, root: setKey(observed, set), what }));

/** An object that is the root of its own tree. */
const root = (key: ActorKey, what: string): readonly Receiver[] => [{ to: key, root: key, what }];

const setAbove = (observed: Meta): readonly Told[] => {
  const set = ownerSet(observed);
  return set === '' ? [] : [[setKey(observed, set), 'child']];
};

/** The actors of the owners: the set, and the group that controls a member. */
function ownersOf(observed: ObservedClique): readonly Told[] {
  if (observed.owner?.kind !== 'PodCliqueScalingGroup') return setAbove(observed);
  return [
    [groupKey(observed, observed.owner.name), 'child'],
    [setKey(observed, observed.set), 'child'],
  ];
}

/** A child that has no actor of its own. */
const leaf = <F extends ObservedChild>(
  kind: F['kind'],
  decode: (object: KubeObject) => F | Malformed,
): Route =>
  row<F>(kind, {
    decode,
    told: (observed) => inTree(observed, ownerSet(observed), setAbove(observed)),
  });

const access = (kind: AccessKind): Route => leaf(kind, readAccess(kind));

/** Claims are their owner's; one without an owner is known by its labels. */
function claimOwner(observed: ObservedClaim): ActorKey {
  const { owner, labels, set } = observed;
  if (owner?.kind === 'PodClique') return cliqueKey(observed, owner.name);
  if (owner?.kind === 'PodCliqueScalingGroup') return groupKey(observed, owner.name);
  if (owner !== undefined) return setKey(observed, set);
  const { [label.podClique]: clique, [label.scalingGroup]: group } = labels;
  if (clique !== undefined) return cliqueKey(observed, clique);
  return group === undefined ? setKey(observed, set) : groupKey(observed, group);
}

/** A PodGroup is of the gang of its name, and lets in pods of PodCliques. */
const podGroup = (kind: PodGroupKind): Route =>
  row(kind, {
    decode: readPodGroup(kind),
    told: (observed) =>
      inTree(observed, observed.set, [
        [gangKey(observed, observed.name), 'podGroup'],
        ...cliquesIn(observed).map((name): Told => [cliqueKey(observed, name), 'podGroup']),
      ]),
  });

/** The runtime calls nothing else of Grove with an object. */
export const routes: readonly Route[] = [
  row('PodCliqueSet', {
    decode: readSet,
    told: (observed) => root(setKey(observed, observed.name), 'set'),
    shown: (observed) => [
      ...templateOfSet(observed),
      ...rolloutOfSet(observed),
      ...triggerOfSet(observed),
    ],
  }),
  row('PodClique', {
    decode: readClique,
    told: (observed) =>
      inTree(observed, observed.set, [
        [cliqueKey(observed, observed.name), 'clique'],
        ...ownersOf(observed),
      ]),
    shown: schedulingOfClique,
  }),
  row('PodCliqueScalingGroup', {
    decode: readGroup,
    told: (observed) =>
      inTree(observed, observed.set, [
        [groupKey(observed, observed.name), 'group'],
        ...setAbove(observed),
      ]),
  }),
  row('PodGang', {
    decode: readGang,
    // A gang's PodCliques are those that it names, not those that its pods' names look like.
    told: (observed) =>
      inTree(observed, observed.set, [
        [gangKey(observed, observed.name), 'gang'],
        ...setAbove(observed),
        ...observed.groups
          .filter(({ name }) => name !== '')
          .map(({ name }): Told => [cliqueKey(observed, name), 'gang']),
      ]),
    shown: schedulingOfGang,
  }),
  row('Pod', {
    decode: readPod,
    told: (observed) =>
      observed.owner?.kind === 'PodClique'
        ? inTree(observed, observed.labels[label.partOf] ?? '', [
            [cliqueKey(observed, observed.owner.name), 'pod'],
          ])
        : [],
    shown: schedulingOfPod,
  }),
  leaf('Service', readSpec('Service')),
  access('ServiceAccount'),
  access('Role'),
  access('RoleBinding'),
  leaf('HorizontalPodAutoscaler', readSpec('HorizontalPodAutoscaler')),
  row('ComputeDomain', {
    decode: readDomain,
    // Also where that set is gone: only its actor lets go of the domain.
    told: (observed) => inTree(observed, observed.set, [[setKey(observed, observed.set), 'child']]),
  }),
  row('ResourceClaim', {
    decode: readClaim,
    told: (observed) => inTree(observed, observed.set, [[claimOwner(observed), 'claim']]),
  }),
  row('ResourceClaimTemplate', { decode: readTemplate, shown: templateIn }),
  row('ClusterTopologyBinding', {
    decode: readBinding,
    told: (observed) => root(keyOf('topologybinding')(observed, observed.name), 'binding'),
    shown: levelsOf,
  }),
  row('Topology', { decode: readTopology, shown: topologyIn }),
  podGroup('KaiPodGroup'),
  podGroup('VolcanoPodGroup'),
];
