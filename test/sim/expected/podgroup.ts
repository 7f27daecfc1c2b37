// What the PodGroup of a PodGang for KAI must look like when the controller is done (spec
// controllers 8.4). Part of expected.ts.
import { isDeepStrictEqual } from 'node:util';
import type { Stored } from '#src/devcluster/contract.ts';
import { at, fieldsAt, labelsOf, listAt, numberAt, textAt } from '../fields.ts';
import type { Complaints } from '../oracles/complaints.ts';
import { kaiGroups, kaiName } from '../users/kai.ts';
import type { WantedClique } from './wanted.ts';

/** All its cliques name one scheduler. */
export const schedulerOf = (set: Stored): string =>
  textAt(listAt(set, 'spec', 'template', 'cliques')[0], 'spec', 'podSpec', 'schedulerName') ||
  'default-scheduler';

/** On each pod. */
export function expectMarks(complaints: Complaints, set: Stored, pod: Stored, gang: string): void {
  const name = textAt(pod, 'metadata', 'name');
  const scheduler = schedulerOf(set);
  complaints.same(`scheduler of ${name}`, at(pod, 'spec', 'schedulerName'), scheduler);
  if (scheduler !== kaiName) return;
  const clique = labelsOf(pod)['grove.io/podclique'] ?? '';
  complaints.labels(`pod ${name}`, pod, { 'kai.scheduler/subgroup-name': clique });
  const annotations = fieldsAt(pod, 'metadata', 'annotations');
  complaints.same(`group of ${name}`, annotations['pod-group-name'], gang);
  complaints.same(`skip of ${name}`, annotations['kai.scheduler/skip-podgrouper'], 'true');
}

export function expectPodGroup(
  complaints: Complaints,
  set: Stored,
  gang: Stored,
  cliques: readonly WantedClique[],
): void {
  if (schedulerOf(set) !== kaiName) return;
  const name = textAt(gang, 'metadata', 'name');
  const group = complaints.owned(kaiGroups, name, gang);
  if (group === undefined) return;
  complaints.labels(`PodGroup ${name}`, group, labelsOf(gang));
  const annotations = fieldsAt(group, 'metadata', 'annotations');
  for (const [key, value] of Object.entries(fieldsAt(gang, 'metadata', 'annotations'))) {
    if (isDeepStrictEqual(annotations[key], value)) continue;
    complaints.say(`PodGroup ${name}: annotation ${key} is ${String(annotations[key])}`);
  }
  const queue = textAt(group, 'spec', 'queue');
  if (!['team', 'moved'].includes(queue)) complaints.say(`PodGroup ${name} is in queue ${queue}`);
  const least = cliques.map(({ template }) => numberAt(template, 'spec', 'minAvailable'));
  const sum = least.reduce((all, one) => all + one, 0);
  complaints.same(`minimum of PodGroup ${name}`, at(group, 'spec', 'minMember'), sum);
  complaints.same(
    `sub-groups of PodGroup ${name}`,
    listAt(group, 'spec', 'subGroups')
      .filter((one) => at(one, 'minSubGroup') === undefined)
      .map((one) => [at(one, 'name'), at(one, 'minMember')]),
    cliques.map((clique, index) => [clique.name, least[index]]),
  );
}
