// The PodGroup that Volcano wants for a PodGang (spec controllers 8.4): the minimum of the whole
// gang, and a policy per PodClique that tells its pods by their label.
import { at, list, text } from '../../../kubernetes/json.ts';
import type { JsonObject } from '../../../kubernetes/objects.ts';
import { label } from '../../objects/labels.ts';
import type { ObservedGang } from '../../objects/podgang.ts';
import type { BackendPodGroup } from '../../objects/podgroup.ts';
import type { Unmappable, Desired } from '../backend.ts';
import { queueIn } from '../queue.ts';

export const queueKey = 'scheduling.grove.io/volcano-queue';

export const defaultQueue = 'default';

/** Annotations of the gang are not copied. */
export function desired(
  gang: ObservedGang,
  there: BackendPodGroup | undefined,
): Desired | Unmappable {
  const queue = queueOf(gang);
  if (typeof queue !== 'string') return queue;
  return {
    labels: gang.labels,
    annotations: {},
    spec: {
      queue,
      priorityClassName: gang.priorityClassName || null,
      ...(mayRelease(gang, there) ? {} : minimums(gang)),
    },
  };
}

export const cliquesIn = (spec: JsonObject): readonly string[] =>
  list(spec['subGroupPolicy']).map((policy) => text(at(policy, 'name')));

/** RFC 1123, as for every name of an object. */
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function queueOf(gang: ObservedGang): string | Unmappable {
  const queue = queueIn(gang.annotations[queueKey] ?? '', queueKey);
  if (typeof queue !== 'string') return queue;
  if (queue === '' || (subdomain.test(queue) && queue.length <= 253)) return queue || defaultQueue;
  return {
    problem: `${queueKey} is "${queue}": it must be the name of a queue, a DNS-1123 subdomain`,
  };
}

/** Where all minimums were released, the gang keeps those that it had. */
const mayRelease = (gang: ObservedGang, there: BackendPodGroup | undefined): boolean =>
  gang.groups.every(({ minReplicas }) => minReplicas === 0) &&
  (there?.spec['minMember'] !== undefined || there?.spec['subGroupPolicy'] !== undefined);

const minimums = ({ groups }: ObservedGang): JsonObject => ({
  minMember: Math.max(
    1,
    groups.reduce((sum, { minReplicas }) => sum + minReplicas, 0),
  ),
  subGroupPolicy: groups.map(({ name, minReplicas }) => ({
    name,
    labelSelector: { matchLabels: { [label.podClique]: name } },
    matchLabelKeys: [label.podClique],
    subGroupSize: Math.max(1, minReplicas),
    minSubGroups: 1,
  })),
});
