// Of a replica: its PodGangs. One is created once all its PodCliques are there, because their
// UIDs give the names of the pods that it lists; so pods need no gate. Afterwards only what comes
// from the template is kept right here; the pod references belong to the podgang actor.
import { placeOf } from '../../children/place.ts';
import { sameForAll } from '../../children/type.ts';
import type { ChildPatch, ChildType } from '../../children/type.ts';
import { annotation, baseLabels, component, label } from '../../grove/labels.ts';
import { patchOfMarks, withLists } from '../../grove/mirror.ts';
import type { Marks } from '../../grove/mirror.ts';
import { ownedMeta } from '../../grove/owned.ts';
import { maxPodsPerClique } from '../../limits.ts';
import { isEqual } from '../../merge.ts';
import type { JsonObject } from '../../objects.ts';
import { firstNames } from '../../podclique/names.ts';
import { groupOf, isNewsToSet, readGang } from '../../podgang/facts.ts';
import type { GangFact } from '../../podgang/facts.ts';
import { podReferences } from '../../podgang/steps.ts';
import { backendNamed } from '../../scheduler/backends.ts';
import type { QueueSource } from '../../scheduler/backend.ts';
import { mirrored } from '../facts.ts';
import type { SetFact } from '../facts.ts';
import { constrained, placedSpec, placementOf, placementPatch } from './placement.ts';
import type { Placement } from './placement.ts';
import type { ReplicaScope } from './scope.ts';
import { wantedGangs } from './wanted-gangs.ts';
import type { Constituent, WantedGang } from './wanted-gangs.ts';

export const gang: ChildType<GangFact, ReplicaScope> = {
  kind: 'PodGang',
  read: readGang,
  place: placeOf,
  hasChanged: isNewsToSet,
  keepsVersion: true,
  desired: (scope) => {
    const { set, index, replica, topology } = scope;
    return wantedGangs(set, index, replica).map((wanted) => {
      const { name, slot, cliques } = wanted;
      const isEarly = cliques.some((one) => one.isComing && one.clique === undefined);
      const placement = placementOf(wanted, topology);
      return {
        slot,
        name,
        reason: 'all its PodCliques are there',
        ...(isEarly ? {} : { build: () => build(scope, wanted, placement) }),
        patch: (there) => patchOf(scope, wanted, placement, there),
      };
    });
  },
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
  set: SetFact,
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

const queueSource = (set: SetFact): QueueSource => ({
  labels: set.labels,
  annotations: set.annotations,
  cliques: [...set.cliques, ...set.groups.flatMap(({ members }) => members)],
});

function patchOf(
  scope: ReplicaScope,
  { cliques }: WantedGang,
  placement: Placement,
  there: GangFact,
): ChildPatch | undefined {
  const { set } = scope;
  // The name of the topology is there as long as a constraint is.
  const meta = patchOfMarks(there, marksOf(scope, placement), [annotation.topologyName]);
  const spec: JsonObject = placementPatch(there, placement);
  const hasList = !hasRightGroups(cliques, there, placement);
  if (hasList) {
    spec['podgroups'] = cliques.map((clique) => rightGroup(set, clique, there, placement));
  }
  if (there.priorityClassName !== set.priorityClassName) {
    spec['priorityClassName'] = set.priorityClassName === '' ? null : set.priorityClassName;
  }
  const patch = {
    ...(meta === undefined ? {} : { metadata: meta }),
    ...(Object.keys(spec).length > 0 ? { spec } : {}),
  };
  if (Object.keys(patch).length === 0) return undefined;
  // The list is the podgang actor's too.
  const version = hasList ? { resourceVersion: there.resourceVersion } : {};
  return { patch, reason: 'differs from the template', ...version };
}

/** Of one that is there only what comes from the template is put right. */
function rightGroup(
  set: SetFact,
  clique: Constituent,
  there: GangFact,
  placement: Placement,
): JsonObject {
  const raw = groupOf(there, clique.name)?.raw;
  if (raw === undefined) return newGroup(set, clique, placement);
  const { topologyConstraint: _, ...others } = raw;
  return {
    ...others,
    minReplicas: clique.minAvailable,
    ...constrained(placement.ofCliques.get(clique.name)),
    ...(isEmptied(clique) ? noPods : {}),
  };
}

const hasRightGroups = (
  cliques: readonly Constituent[],
  there: GangFact,
  { ofCliques }: Placement,
): boolean =>
  there.groups.length === cliques.length &&
  cliques.every((clique, place) => {
    const { name, minAvailable } = clique;
    const group = there.groups[place];
    const isSame =
      group?.name === name &&
      group.minReplicas === minAvailable &&
      isEqual(group.raw['topologyConstraint'], ofCliques.get(name));
    return isSame && (group.pods.size === 0 || !isEmptied(clique));
  });

/** Its group was scaled below it: nobody is left to tell the gang that the pods are gone. */
const isEmptied = ({ clique, isComing }: Constituent): boolean => clique === undefined && !isComing;

const noPods = { podReferences: [] };
