// A member PodClique of a scaling group: what the group wants it to be (spec controllers 1.2.3),
// and what the group reads from its status (2.2).
import { conditionStatus, conditionsOf } from '../conditions.ts';
import { linkedSpec } from '../grove/clique.ts';
import type { CliqueWish } from '../grove/clique.ts';
import { withLists } from '../grove/mirror.ts';
import { annotation, childLabels, component, label } from '../grove/labels.ts';
import type { StringMap } from '../json.ts';
import { isNewsToSet } from '../podclique/facts.ts';
import type { CliqueFact } from '../podclique/facts.ts';
import { breachedType, scheduledType } from '../podclique/status.ts';
import { domainOf } from '../podcliqueset/names.ts';
import { parentsOfMember } from '../podcliqueset/order.ts';
import type { CliqueTemplate } from '../podcliqueset/template.ts';
import { baseGangName } from '../podgang/names.ts';
import type { Source } from './context.ts';
import type { GroupFact } from './facts.ts';
import { memberName, scaledGangName } from './names.ts';

/** Replicas below the minimum are in the base gang, each of the others has a gang of its own. */
function gangLabels(
  group: GroupFact,
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

export function wishOfMember(
  group: GroupFact,
  source: Source,
  index: number,
  member: CliqueTemplate,
): CliqueWish {
  const { set, replica, template } = source;
  const name = memberName(group.name, index, member.name);
  const startsAfter = parentsOfMember(set, replica, template, index, member);
  const labels = {
    ...member.labels,
    ...childLabels(set.name, name, component.member),
    [label.replicaIndex]: String(replica),
    [label.scalingGroup]: group.name,
    [label.scalingGroupIndex]: String(index),
    ...gangLabels(group, source, index),
    [label.templateHash]: member.hash,
  };
  const annotations = { ...member.annotations, [annotation.generationHash]: set.generationHash };
  return {
    owner: group,
    name,
    marks: withLists({ labels, annotations }, member),
    spec: linkedSpec(member.spec, { startsAfter, domain: domainOf(set.name, replica, member) }),
    replicas: member.replicas,
    templateHash: member.hash,
  };
}

const conditionOf = (clique: CliqueFact | undefined, type: string): string | undefined =>
  conditionStatus(conditionsOf(clique?.status), type);

export const isScheduled = (clique: CliqueFact): boolean =>
  conditionOf(clique, scheduledType) === 'True';

/** Absent: nothing is known yet, which is neither breached nor sound (10.2 gap 17). */
export const breachOf = (clique: CliqueFact | undefined): string | undefined =>
  conditionOf(clique, breachedType);

/** News for its group: what comes from the template, and what the group's status is made of. */
export const isMemberNews = (old: CliqueFact | undefined, now: CliqueFact): boolean =>
  isNewsToSet(old, now) ||
  conditionOf(old, scheduledType) !== conditionOf(now, scheduledType) ||
  breachOf(old) !== breachOf(now);
