// What the controller is at when it dies once (crash-each-devices.test.ts): sets with shared
// ResourceClaims and with ComputeDomains, which are created, scaled and deleted. Each with the
// changes that must come of it, counted by hand.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { claimSpec, claimTemplate } from '#test/support/sharing.ts';
import { comeToRest } from '../ending.ts';
import { domainKind } from '../expected/domains.ts';
import { fieldsAt, listAt } from '../fields.ts';
import { cliques } from '../users/addresses.ts';
import { namespace, setObject } from '../users/workload.ts';
import type { Work } from './episode.ts';
import {
  baseReplica,
  create,
  type Fields,
  merge,
  scalePack,
  type Step,
  sum,
  withFields,
  withPack,
  withTemplate,
} from './works-of-groups.ts';
import { remove, scaleTo, setItself } from './works.ts';

const scaleFront = (replicas: number): Step => merge(`${cliques}/demo-0-front/scale`, { replicas });

/** One after the other, each when the controller is done with the one before. */
const inTurn =
  (...steps: readonly Step[]): Step =>
  async (world) => {
    for (const step of steps) {
      await step(world);
      await comeToRest(world);
    }
  };

/** `inner` is a template of the set, `outer` one of the cluster. */
const shares = (...scopes: readonly (readonly [name: string, scope: string])[]) => ({
  resourceSharing: scopes.map(([name, scope]) => ({ name, scope })),
});

/** Claims of the set: one, and one per replica. Of `front` one per pod. Of the group one, and one
 *  per replica. */
const sharing = withTemplate(
  withFields(
    setObject('demo', withPack(['lead'], 2)),
    shares(['inner', 'PerReplica']),
    shares(['outer', 'AllReplicas'], ['inner', 'PerReplica']),
  ),
  () => ({
    resourceClaimTemplates: [{ name: 'inner', templateSpec: { spec: claimSpec('inner') } }],
    ...shares(['inner', 'AllReplicas'], ['outer', 'PerReplica']),
  }),
);

const claims = (many: number) => ({ 'resource.k8s.io/resourceclaims': many });

/** A replica of the group. */
const sharingMember = {
  'grove.io/podcliques': 1,
  'scheduler.grove.io/podgangs': 1,
  '/pods': 1,
  ...claims(1),
};

/** The claim of the replica, one of `front`, one of the group and one per replica of it. */
const sharingReplica = sum(baseReplica(1), claims(4), sharingMember);

const putTemplate: Step = (world) =>
  world.ask({
    method: 'POST',
    path: `/apis/resource.k8s.io/v1/namespaces/${namespace}/resourceclaimtemplates`,
    body: claimTemplate(namespace, 'outer'),
  });

export const worksOfClaims = {
  'create with claims': {
    before: putTemplate,
    work: create(sharing),
    added: sum(setItself, claims(1), sharingReplica),
    mostUpdates: 30,
  },
  'scale in with claims': {
    before: inTurn(putTemplate, create(sharing, 2)),
    work: scaleTo(1),
    deleted: sharingReplica,
    mostUpdates: 20,
  },
  'scale out of a clique with claims': {
    before: inTurn(putTemplate, create(sharing)),
    work: scaleFront(2),
    added: { '/pods': 1, ...claims(1) },
    mostUpdates: 15,
  },
  // The newer pod goes, and so does the claim of its index.
  'scale in of a clique with claims': {
    before: inTurn(putTemplate, create(sharing), scaleFront(2)),
    work: scaleFront(1),
    deleted: { '/pods': 1, ...claims(1) },
    mostUpdates: 15,
  },
  'scale out of a group with claims': {
    before: inTurn(putTemplate, create(sharing)),
    work: scalePack(3),
    added: sharingMember,
    mostUpdates: 20,
  },
  'scale in of a group with claims': {
    before: inTurn(putTemplate, create(sharing)),
    work: scalePack(1),
    deleted: sharingMember,
    mostUpdates: 20,
  },
  'delete with claims': {
    before: inTurn(putTemplate, create(sharing)),
    work: remove,
    deleted: sum(setItself, claims(1), sharingReplica),
    mostUpdates: 20,
  },
} as const satisfies Record<string, Work>;

/** `front` and the group are in NVLink groups of their own. */
function enrolled(): JsonObject {
  const groupOf = (name: string) => ({ annotations: { 'grove.io/mnnvl-group': name } });
  const named = withFields(
    setObject('demo', withPack(['lead'], 1)),
    groupOf('rack'),
    groupOf('east'),
  );
  return withTemplate(named, ({ cliques: all }) => ({
    cliques: listAt({ all }, 'all').map(withGpu),
  }));
}

function withGpu(clique: unknown): Fields {
  const podSpec = fieldsAt(clique, 'spec', 'podSpec');
  const containers = listAt(podSpec, 'containers').map((container) => ({
    ...fieldsAt(container),
    resources: { limits: { 'nvidia.com/gpu': '1' } },
  }));
  return {
    ...fieldsAt(clique),
    spec: { ...fieldsAt(clique, 'spec'), podSpec: { ...podSpec, containers } },
  };
}

const enrolledReplica = { ...baseReplica(1), [domainKind]: 2 };

export const worksOfDomains = {
  'create with ComputeDomains': {
    hasDomains: true,
    work: create(enrolled()),
    added: sum(setItself, enrolledReplica),
    mostUpdates: 30,
  },
  'scale out with ComputeDomains': {
    hasDomains: true,
    before: create(enrolled()),
    work: scaleTo(2),
    added: enrolledReplica,
    mostUpdates: 30,
  },
  'scale in with ComputeDomains': {
    hasDomains: true,
    before: create(enrolled(), 2),
    work: scaleTo(1),
    deleted: enrolledReplica,
    mostUpdates: 20,
  },
  'delete with ComputeDomains': {
    hasDomains: true,
    before: create(enrolled()),
    work: remove,
    deleted: sum(setItself, enrolledReplica),
    mostUpdates: 20,
  },
} as const satisfies Record<string, Work>;
