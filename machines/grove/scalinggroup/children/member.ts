// A member PodClique of a scaling group: what the group wants it to be (spec controllers 1.2.3),
// and what the group reads from its status (2.2).
import { conditionsOf, conditionStatus } from '../../../kubernetes/conditions.ts';
import type { StringMap } from '../../../kubernetes/json.ts';
import {
  buildClique,
  desiredOfTemplate,
  isOfTemplate,
  parentsOf,
  patchOfClique,
  type DesiredClique,
} from '../../children/clique.ts';
import type { ChildPatch, ChildTable, ChildType } from '../../children/type.ts';
import { childLabels, component, label } from '../../objects/labels.ts';
import {
  baseGangName,
  domainOf,
  memberName,
  placeOf,
  scaledGangName,
} from '../../objects/names.ts';
import { scheduledType } from '../../objects/breach.ts';
import { readClique } from '../../objects/podclique.ts';
import type { ObservedClique } from '../../objects/podclique.ts';
import type { ObservedSet } from '../../objects/podcliqueset.ts';
import type { ObservedGroup } from '../../objects/scalinggroup.ts';
import type { CliqueTemplate, GroupTemplate } from '../../objects/template.ts';
import { isNewsToOwner } from '../../objects/meta.ts';

/** Where members come from: the set, which of its replicas this is, and the group's template. */
export interface Source {
  readonly set: ObservedSet;
  readonly replica: number;
  readonly template: GroupTemplate;
}

/** Replicas below the minimum are in the base gang, each of the others has a gang of its own. */
function gangLabels(
  group: ObservedGroup,
  { set, replica, template }: Source,
  index: number,
): StringMap {
  const base = baseGangName(set.name, replica);
  const { minAvailable } = template;
  if (index < minAvailable) return { [label.podGang]: base };
  return {
    [label.podGang]: scaledGangName(group.name, index - minAvailable),
    [label.basePodGang]: base,
  };
}

function desiredOf(
  group: ObservedGroup,
  source: Source,
  index: number,
  member: CliqueTemplate,
): DesiredClique {
  const { set, replica, template } = source;
  const name = memberName(group.name, index, member.name);
  return desiredOfTemplate(member, {
    owner: group,
    name,
    labels: {
      ...childLabels(set.name, name, component.member),
      [label.replicaIndex]: String(replica),
      [label.scalingGroup]: group.name,
      [label.scalingGroupIndex]: String(index),
      ...gangLabels(group, source, index),
    },
    generationHash: set.generationHash,
    startsAfter: parentsOf(set, replica, member, { group: template, index }),
    domain: domainOf(set.name, replica, member),
    replicas: group.kept.get(name)?.replicas,
  });
}

export const isScheduled = (clique: ObservedClique): boolean =>
  conditionOf(clique, scheduledType) === 'True';

const conditionOf = (clique: ObservedClique | undefined, type: string): string | undefined =>
  conditionStatus(conditionsOf(clique?.status), type);

/** News for its group: what comes from the template, and what the group's status is made of. */
const hasChanged = (old: ObservedClique | undefined, now: ObservedClique): boolean =>
  isNewsToOwner(old, now) || conditionOf(old, scheduledType) !== conditionOf(now, scheduledType);

interface MemberScope {
  readonly group: ObservedGroup;
  readonly source: Source;
  readonly index: number;
  /** False while claims that the members share are missing. */
  readonly mayCreate: boolean;
}

const member: ChildType<ObservedClique, MemberScope> = {
  kind: 'PodClique',
  read: readClique,
  place: (group, name) => {
    const place = placeOf(group, name);
    return place?.slot === '' ? undefined : place;
  },
  hasChanged,
  desired: ({ group, source, index, mayCreate }) =>
    source.template.members.map((template) => {
      const desired = desiredOf(group, source, index, template);
      return {
        slot: template.name,
        name: desired.name,
        reason: `member of group replica ${index}`,
        ...(mayCreate ? { build: () => buildClique(desired) } : {}),
        patch: (there) => patchOf(desired, there, source.set.updatesOnDelete),
      };
    }),
  hasChildren: true,
  errorCode: {
    create: 'ERR_CREATE_PODCLIQUE',
    patch: 'ERR_CREATE_OR_UPDATE_PODCLIQUES',
    delete: 'ERR_DELETE_PODCLIQUE',
  },
  eventReason: {
    create: 'PodCliqueCreateFailed',
    patch: 'PodCliqueCreateOrUpdateFailed',
    delete: 'PodCliqueDeleteFailed',
  },
};

/** What a replica of a group has. */
export interface ObservedMembers {
  /** By name of the clique in the template. */
  readonly PodClique: ObservedClique;
}

export const memberTable: ChildTable<ObservedMembers, MemberScope> = { PodClique: member };

export const memberGoes = ['PodClique'] as const;

/**
 * One of an older template is left as it is until an update comes to its replica, unless the set
 * updates in place (spec controllers 1.2.3).
 */
function patchOf(
  desired: DesiredClique,
  there: ObservedClique,
  isInPlace: boolean,
): ChildPatch | undefined {
  if (!isOfTemplate(desired, there) && !isInPlace) return undefined;
  const patch = patchOfClique(desired, there);
  return patch && { patch, reason: 'differs from the spec' };
}
