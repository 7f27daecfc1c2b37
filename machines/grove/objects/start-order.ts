// Who waits for whom at the start (spec controllers 6.1): names of cliques in the template become
// names of PodCliques. Order holds within one PodGang only. Used where PodCliques are built, by the
// podcliqueset actor and by the scalinggroup actor.
import { memberName, cliqueName, groupName } from './names.ts';
import type { ObservedSet } from './podcliqueset.ts';
import type { CliqueTemplate, GroupTemplate } from './template.ts';

/** Parents of a standalone clique. */
export const parentsOfStandalone = (
  set: ObservedSet,
  replica: number,
  { startsAfter }: CliqueTemplate,
): string[] => inBaseGang(set, replica, startsAfter);

/** Parents of a member of the group's replica `index`: those of its own gang. */
export function parentsOfMember(
  set: ObservedSet,
  replica: number,
  group: GroupTemplate,
  index: number,
  template: CliqueTemplate,
): string[] {
  if (index < group.minAvailable) return inBaseGang(set, replica, template.startsAfter);
  const name = groupName(set.name, replica, group.name);
  return template.startsAfterInGroup.map((parent) => memberName(name, index, parent));
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
