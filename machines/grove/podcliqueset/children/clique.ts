// Of a replica: its standalone PodCliques. `replicas` is set at creation only, so what a user or an
// autoscaler sets survives (spec controllers 1.1.5, 10.2 gap 14). Members of scaling groups are
// known here too, as PodGangs are made of them; they are their groups' children.
import { buildClique, desiredOfTemplate, parentsOf, patchOfClique } from '../../children/clique.ts';
import type { DesiredClique } from '../../children/clique.ts';
import type { ChildType } from '../../children/type.ts';
import { childLabels, component, label } from '../../objects/labels.ts';
import { baseGangName, cliqueName, domainOf, placeOf } from '../../objects/names.ts';
import { readClique, type ObservedClique } from '../../objects/podclique.ts';
import type { ObservedSet } from '../../objects/podcliqueset.ts';
import type { CliqueTemplate } from '../../objects/template.ts';
import { usualReason, type ReplicaScope } from '../context.ts';
import { isNewsToOwner } from '../../objects/meta.ts';

export const clique: ChildType<ObservedClique, ReplicaScope> = {
  kind: 'PodClique',
  read: readClique,
  place: placeOf,
  hasChanged: isNewsToOwner,
  desired: ({ set, index, mayCreate }) =>
    set.cliques.map((template) => {
      const desired = desiredOf(set, index, template);
      return {
        slot: template.name,
        name: desired.name,
        reason: `clique of replica ${index}`,
        ...(mayCreate ? { build: () => buildClique(desired) } : {}),
        patch: (there) => {
          const patch = patchOfClique(desired, there);
          return patch && { patch, reason: 'differs from the spec' };
        },
      };
    }),
  hasChildren: true,
  errorCode: {
    create: 'ERR_CREATE_OR_UPDATE_PODCLIQUE',
    patch: 'ERR_SYNC_PODCLIQUE',
    delete: 'ERR_DELETE_PODCLIQUE',
  },
  eventReason: usualReason,
};

function desiredOf(set: ObservedSet, index: number, template: CliqueTemplate): DesiredClique {
  const name = cliqueName(set.name, index, template.name);
  return desiredOfTemplate(template, {
    owner: set,
    name,
    labels: {
      ...childLabels(set.name, name, component.clique),
      [label.replicaIndex]: String(index),
      [label.podGang]: baseGangName(set.name, index),
    },
    generationHash: set.generationHash,
    startsAfter: parentsOf(set, index, template),
    domain: domainOf(set.name, index, template),
    replicas: set.kept.get(name)?.replicas,
  });
}
