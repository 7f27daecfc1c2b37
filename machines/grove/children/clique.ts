// A PodClique as its owner wants it: built when it is missing, patched where it differs. Used by
// the podcliqueset actor for standalone cliques and by the scalinggroup actor for members.
import { isEqual, isObject, object, type StringMap } from '../../kubernetes/json.ts';
import { isWithin, patchInto, patchToward } from '../../kubernetes/merge.ts';
import type { Json, JsonObject, KubeObject } from '../../kubernetes/objects.ts';
import { withChannel } from '../objects/computedomain.ts';
import { annotation, finalizer, label, ownedMeta, type GroveOwner } from '../objects/labels.ts';
import { patchOfMarks, withLists, type Marks } from '../objects/mirror.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import type { CliqueTemplate, GroupTemplate } from '../objects/template.ts';
import { cliqueName, groupName, memberName } from '../objects/names.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';

export interface DesiredClique {
  readonly owner: GroveOwner;
  readonly name: string;
  readonly marks: Marks;
  /** Without `replicas`: those belong to whoever scales it, once it exists. */
  readonly spec: JsonObject;
  /** For creation only (spec controllers 1.1.5, 10.2 gap 14). */
  readonly replicas: number;
  readonly templateHash: string;
}

/** What differs from PodClique to PodClique of one template. */
interface CliqueLinks {
  readonly startsAfter: readonly string[];
  /** Name of the ComputeDomain that its pods share, if any. */
  readonly domain: string | undefined;
}

interface CliqueOf extends Pick<DesiredClique, 'owner' | 'name'>, CliqueLinks {
  /** Besides the template's. */
  readonly labels: StringMap;
  /** Of the PodCliqueSet. */
  readonly generationHash: string;
  /** That an earlier one of it was scaled to; undefined: as many as the template says. */
  readonly replicas: number | undefined;
}

export function desiredOfTemplate(template: CliqueTemplate, one: CliqueOf): DesiredClique {
  const labels = { ...template.labels, ...one.labels, [label.templateHash]: template.hash };
  const annotations = { ...template.annotations, [annotation.generationHash]: one.generationHash };
  return {
    owner: one.owner,
    name: one.name,
    marks: withLists({ labels, annotations }, template),
    spec: linkedSpec(template.spec, one),
    replicas: one.replicas ?? template.replicas,
    templateHash: template.hash,
  };
}

/** The template's spec for one PodClique; the template is kept, and so is its hash (rule 8). */
const linkedSpec = (spec: JsonObject, { startsAfter, domain }: CliqueLinks): JsonObject => ({
  ...spec,
  ...(startsAfter.length > 0 ? { startsAfter: [...startsAfter] } : {}),
  ...(domain === undefined ? {} : { podSpec: withChannel(object(spec['podSpec']), domain) }),
});

/** The finalizer is there from the start (10.1 rule 52). */
export const buildClique = (desired: DesiredClique): KubeObject => ({
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodClique',
  metadata: ownedMeta(desired.owner, desired.name, desired.marks.labels, {
    annotations: desired.marks.annotations,
    finalizers: [finalizer.clique],
  }),
  spec: { ...desired.spec, replicas: desired.replicas },
});

/** True where it was made from the template as it is now. */
export const isOfTemplate = (desired: DesiredClique, clique: ObservedClique): boolean =>
  clique.templateHash === desired.templateHash;

/** The one field of a PodClique that a template may lose without another hash. */
const scaling = 'autoScalingConfig';

/**
 * The patch that puts the PodClique right, or undefined. With the same template hash only what is
 * missing or changed is put right; what others or the API server added stays. With another hash
 * the pod spec is replaced, so that what left the template leaves it too.
 */
export function patchOfClique(
  desired: DesiredClique,
  clique: ObservedClique,
): JsonObject | undefined {
  const { marks, spec } = desired;
  const isCurrent = isOfTemplate(desired, clique);
  const metadata = patchOfMarks(clique, marks);
  const isRight =
    isCurrent &&
    metadata === undefined &&
    isWithin(spec, clique.spec) &&
    isEqual(spec[scaling], clique.spec[scaling]);
  if (isRight) return undefined;
  const { podSpec } = clique.spec;
  return {
    ...(metadata === undefined ? {} : { metadata }),
    spec: {
      ...patchToward(clique.spec, spec),
      ...patchOfScaling(clique.spec[scaling], spec[scaling]),
      ...(isCurrent ? {} : { podSpec: patchInto(podSpec, object(spec['podSpec'])) }),
    },
  };
}

/** It is the template's alone: what left the template leaves it too. */
function patchOfScaling(there: Json | undefined, wanted: Json | undefined): JsonObject {
  if (isEqual(there, wanted)) return {};
  return { [scaling]: isObject(wanted) ? patchInto(there, wanted) : null };
}

/**
 * Who a PodClique starts after (spec controllers 6.1), by name of the PodClique; `member`: of the
 * group's replica `index`. Order holds within one PodGang only.
 */
export function parentsOf(
  set: ObservedSet,
  replica: number,
  { startsAfter, startsAfterInGroup }: CliqueTemplate,
  member?: { readonly group: GroupTemplate; readonly index: number },
): string[] {
  if (member === undefined || member.index < member.group.minAvailable) {
    return inBaseGang(set, replica, startsAfter);
  }
  const name = groupName(set.name, replica, member.group.name);
  return startsAfterInGroup.map((parent) => memberName(name, member.index, parent));
}

/** A parent in a group stands for all of its PodCliques in the base gang. */
const inBaseGang = (set: ObservedSet, replica: number, parents: readonly string[]): string[] =>
  parents.flatMap((parent) => {
    const group = set.groups.find(({ cliqueNames }) => cliqueNames.includes(parent));
    if (group === undefined) return [cliqueName(set.name, replica, parent)];
    const name = groupName(set.name, replica, group.name);
    return Array.from({ length: group.minAvailable }, (_, index) =>
      memberName(name, index, parent),
    );
  });
