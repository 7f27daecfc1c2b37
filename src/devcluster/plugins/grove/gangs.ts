// PodGangs for the simulated scheduler: their groups of pods with the minimum of each, and their
// topology constraints at three levels (spec controllers 8.3). Part of the plug-in (index.ts).
import { label } from '#machines/grove/objects/labels.ts';
import { numberAt, objectAt, objectsAt, textAt, textsAt } from '#machines/kubernetes/fields.ts';
import { strings } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '../../contract.ts';
import { namespaceOf } from '../../controllers/client.ts';
import type { GangKind, Group, Part } from '../contract.ts';

export const podGangs: GangKind = {
  path: '/apis/scheduler.grove.io/v1alpha1/podgangs',
  title: 'PodGang',
  groupTitle: 'PodClique',
  nameOf: (pod) => textsAt(pod.metadata, 'labels')[label.podGang] ?? '',
  read: (gang) => {
    const groups = groupsOf(gang);
    return { groups, packing: packingOf(gang, groups) };
  },
};

function groupsOf(gang: Stored): readonly Group[] {
  const namespace = namespaceOf(gang);
  return objectsAt(objectAt(gang, 'spec'), 'podgroups').map((group) => ({
    name: textAt(group, 'name'),
    least: numberAt(group, 'minReplicas') ?? 0,
    pods: objectsAt(group, 'podReferences')
      .filter((reference) => textAt(reference, 'namespace') === namespace)
      .map((reference) => `${namespace}/${textAt(reference, 'name')}`),
  }));
}

/** Undefined where nothing is constrained. */
function packingOf(gang: Stored, listed: readonly Group[]): Part | undefined {
  const podsOf = new Map(listed.map(({ name, pods }) => [name, pods]));
  const spec = objectAt(gang, 'spec');
  const groups = new Map(
    objectsAt(spec, 'podgroups').map((group) => [textAt(group, 'name'), group]),
  );
  const configs = objectsAt(spec, 'topologyConstraintGroupConfigs');
  const together = new Set(configs.flatMap((config) => strings(config['podGroupNames'])));
  const partOf = (owner: JsonObject | undefined, names: readonly string[], parts: Part[]): Part => {
    const isLoose = (name: string): boolean => constraintOf(groups.get(name)) === undefined;
    const own = names.filter((name) => !isLoose(name));
    return {
      required: textAt(constraintOf(owner), 'required'),
      preferred: textAt(constraintOf(owner), 'preferred'),
      pods: names.filter(isLoose).flatMap((name) => podsOf.get(name) ?? []),
      parts: [...parts, ...own.map((name) => leafOf(groups.get(name), podsOf.get(name) ?? []))],
    };
  };
  const parts = configs.map((config) => partOf(config, strings(config['podGroupNames']), []));
  const rest = [...groups.keys()].filter((name) => !together.has(name));
  const root = partOf(spec, rest, parts);
  return isConstrained(root) ? root : undefined;
}

const constraintOf = (owner: JsonObject | undefined): JsonObject | undefined =>
  objectAt(objectAt(owner, 'topologyConstraint'), 'packConstraint');

const leafOf = (group: JsonObject | undefined, pods: readonly string[]): Part => ({
  required: textAt(constraintOf(group), 'required'),
  preferred: textAt(constraintOf(group), 'preferred'),
  pods,
  parts: [],
});

const isConstrained = ({ required, preferred, parts }: Part): boolean =>
  required !== '' || preferred !== '' || parts.some(isConstrained);
