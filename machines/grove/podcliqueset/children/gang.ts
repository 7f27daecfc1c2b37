// Of a replica: its PodGangs. One is created once all its PodCliques are there, because their
// UIDs give the names of the pods that it lists; so pods need no gate. Afterwards the podgang actor
// writes its spec, and reads what comes from the template, which is published here.
import type { JsonObject } from '../../../kubernetes/objects.ts';
import { sameForAll, type ChildType } from '../../children/type.ts';
import { baseLabels, component, label, ownedMeta } from '../../objects/labels.ts';
import { maxPodsPerClique } from '../../objects/limits.ts';
import { withLists, type Marks } from '../../objects/mirror.ts';
import { placeOf } from '../../objects/names.ts';
import { firstNames } from '../../objects/pod-names.ts';
import { mirrored, type ObservedSet } from '../../objects/podcliqueset.ts';
import { podReferences, readGang, type ObservedGang } from '../../objects/podgang.ts';
import type { QueueSource } from '../../scheduler/backend.ts';
import { backendNamed } from '../../scheduler/backends.ts';
import { gangTemplate, isShown } from '../../views/gang-template.ts';
import type { DesiredGang, GangTemplate } from '../../views/gang-template.ts';
import { constrained, placedSpec, placementOf, wantedGangs } from './wanted-gangs.ts';
import type { Constituent, Placement, WantedGang } from './wanted-gangs.ts';
import type { ReplicaScope } from '../context.ts';
import { isTemplateNews } from '../../objects/meta.ts';

export const gang: ChildType<ObservedGang, ReplicaScope> = {
  kind: 'PodGang',
  read: readGang,
  place: placeOf,
  hasChanged: isTemplateNews,
  desired: (scope) => {
    const { topology } = scope;
    return wantedGangs(scope).map((wanted) => {
      const { name, slot, cliques } = wanted;
      const isEarly = cliques.some((one) => one.isComing && one.clique === undefined);
      const placement = placementOf(wanted, topology);
      return {
        slot,
        name,
        reason: 'all its PodCliques are there',
        ...(isEarly ? {} : { build: () => build(scope, wanted, placement) }),
        desired: (there): DesiredGang | undefined => {
          const template = templateOf(scope, wanted, placement);
          return isShown(there, template) ? undefined : { uid: there.uid, template };
        },
      };
    });
  },
  desiredView: gangTemplate,
  surplus: 'its scaling group was scaled in',
  errorCode: sameForAll('ERR_CREATE_OR_PATCH_PODGANG', 'ERR_DELETE_EXCESS_PODGANG'),
  eventReason: sameForAll('PodGangCreateOrUpdateFailed', 'PodGangDeleteFailed'),
};

function build(scope: ReplicaScope, { name, cliques }: WantedGang, placement: Placement) {
  const { set } = scope;
  const { labels, annotations } = marksOf(scope, placement);
  const marks = Object.keys(annotations).length > 0 ? { annotations } : {};
  return {
    apiVersion: 'scheduler.grove.io/v1alpha1',
    kind: 'PodGang',
    metadata: ownedMeta(set, name, labels, marks),
    spec: {
      podgroups: cliques.map((clique) => newGroup(set, clique, placement)),
      ...placedSpec(placement),
      ...(set.priorityClassName === '' ? {} : { priorityClassName: set.priorityClassName }),
    },
  };
}

/** `minReplicas` is what the gang guarantees; further pods are listed and best effort. */
function newGroup(
  set: ObservedSet,
  { name, minAvailable, clique }: Constituent,
  { ofCliques }: Placement,
): JsonObject {
  const isPlannable = clique !== undefined && clique.replicas <= maxPodsPerClique;
  const names = isPlannable ? firstNames(name, clique.uid, clique.replicas) : [];
  return {
    name,
    minReplicas: minAvailable,
    podReferences: podReferences(set.namespace, names),
    ...constrained(ofCliques.get(name)),
  };
}

/**
 * Labels and annotations (spec controllers 3.2): the set's are mirrored, additions and removals,
 * and those of others stay (10.1 rule 23, 10.2 gap 15). What the scheduler backend needs there
 * comes last.
 */
function marksOf({ set, schedulerName }: ReplicaScope, placement: Placement): Marks {
  const taken: Marks = {
    labels: mirrored(set.labels),
    annotations: {
      ...mirrored(set.annotations),
      ...backendNamed(schedulerName)?.gangMarks(queueSource(set)),
    },
  };
  const labels = {
    ...taken.labels,
    ...baseLabels(set.name),
    [label.component]: component.gang,
    [label.schedulerName]: schedulerName,
  };
  return withLists(
    { labels, annotations: { ...placement.annotations, ...taken.annotations } },
    taken,
  );
}

const queueSource = (set: ObservedSet): QueueSource => ({
  labels: set.labels,
  annotations: set.annotations,
  cliques: [...set.cliques, ...set.groups.flatMap(({ members }) => members)],
});

const templateOf = (
  scope: ReplicaScope,
  { cliques }: WantedGang,
  placement: Placement,
): GangTemplate => ({
  marks: marksOf(scope, placement),
  priorityClassName: scope.set.priorityClassName,
  ...constrained(placement.constraint),
  groupConfigs: placement.groupConfigs,
  groups: cliques.map(({ name, minAvailable, clique, isComing }) => ({
    name,
    minReplicas: minAvailable,
    ...constrained(placement.ofCliques.get(name)),
    isEmptied: clique === undefined && !isComing,
  })),
});
