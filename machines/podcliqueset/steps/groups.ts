// Of a replica: its PodCliqueScalingGroups. `replicas` is set at creation only: afterwards it
// belongs to whoever scales the group (spec controllers 1.1.5, 10.2 gap 14). One that the template
// does not have goes.
import { isWithin, patchToward } from '../../merge.ts';
import type { JsonObject } from '../../objects.ts';
import type { GroupFact } from '../../scalinggroup/facts.ts';
import type { Intent } from '../../vocabulary.ts';
import { patchOfMarks } from '../../grove/mirror.ts';
import { buildGroup, groupMarks, groupSpec } from '../children.ts';
import { living } from '../context.ts';
import type { Replica } from '../context.ts';
import type { SetFact } from '../facts.ts';
import { groupName } from '../names.ts';
import type { GroupTemplate } from '../template.ts';
import type { CliqueOptions } from './cliques.ts';
import { removal } from './surplus.ts';

export const planGroups = (
  set: SetFact,
  index: number,
  replica: Replica,
  options: CliqueOptions,
): readonly Intent[] => [
  ...surplusGroups(set, replica),
  ...set.groups.flatMap((template) => planGroup(set, index, template, replica, options)),
];

const surplusGroups = (set: SetFact, replica: Replica): readonly Intent[] =>
  [...replica.groups]
    .filter(([rest]) => !set.groups.some(({ name }) => name === rest))
    .filter(([, group]) => living(group, set) !== undefined)
    .map(([, group]) => removal(group, 'the template has no such scaling group'));

function planGroup(
  set: SetFact,
  index: number,
  template: GroupTemplate,
  replica: Replica,
  { mayCreate }: CliqueOptions,
): readonly Intent[] {
  const name = groupName(set.name, index, template.name);
  const ref = { kind: 'PodCliqueScalingGroup', namespace: set.namespace, name } as const;
  const there = replica.groups.get(template.name);
  if (there === undefined) {
    if (!mayCreate) return [];
    const body = buildGroup(set, index, template);
    return [{ type: 'createObject', ref, reason: `scaling group of replica ${index}`, body }];
  }
  const group = living(there, set);
  const patch = group === undefined ? undefined : patchOf(set, index, template, group);
  if (group === undefined || patch === undefined) return [];
  return [{ type: 'patchObject', ref, reason: 'differs from the spec', patch, uid: group.uid }];
}

function patchOf(
  set: SetFact,
  index: number,
  template: GroupTemplate,
  group: GroupFact,
): JsonObject | undefined {
  const metadata = patchOfMarks(group, groupMarks(set, index, template));
  const spec = groupSpec(template);
  if (metadata === undefined && isWithin(spec, group.spec)) return undefined;
  return {
    ...(metadata === undefined ? {} : { metadata }),
    spec: patchToward(group.spec, spec),
  };
}
