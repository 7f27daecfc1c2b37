// The status of a DaemonSet: how many nodes want a pod, have one, and how far those are. Pure.
import { numberAt, objectAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { nameOf } from '../client.ts';
import { byNode, standingOn } from './plan.ts';
import type { Sight } from './plan.ts';
import { hashOf, isAvailable, isReady, isUpToDate } from './pods.ts';

/** Told also when they are zero; the others are left out then, as Go does. */
const alwaysTold = [
  'currentNumberScheduled',
  'desiredNumberScheduled',
  'numberMisscheduled',
  'numberReady',
];

export function statusOf({ set, nodes, pods, now }: Sight): Record<string, number> {
  const there = byNode(pods);
  const hash = hashOf(set);
  const wanted = nodes.filter((node) => standingOn(set, node).comes);
  const unwanted = nodes.filter((node) => !wanted.includes(node));
  // Of several on a node the oldest counts.
  const counted = wanted.flatMap((node) => there.get(nameOf(node))?.slice(0, 1) ?? []);
  const available = counted.filter((pod) => isAvailable(pod, set, now)).length;
  return {
    currentNumberScheduled: counted.length,
    desiredNumberScheduled: wanted.length,
    numberAvailable: available,
    numberMisscheduled: unwanted.filter((node) => there.has(nameOf(node))).length,
    numberReady: counted.filter(isReady).length,
    numberUnavailable: wanted.length - available,
    observedGeneration: numberAt(set.metadata, 'generation') ?? 0,
    updatedNumberScheduled: counted.filter((pod) => isUpToDate(pod, set, hash)).length,
  };
}

/** A merge patch of the status; undefined where it says all that already. */
export function statusPatch(set: Stored, wanted: Record<string, number>): JsonObject | undefined {
  const status = objectAt(set, 'status');
  const isTold = Object.entries(wanted).every(
    ([field, value]) => (numberAt(status, field) ?? 0) === value,
  );
  if (isTold) return undefined;
  return Object.fromEntries(
    Object.entries(wanted).map(([field, value]) => [
      field,
      value === 0 && !alwaysTold.includes(field) ? null : value,
    ]),
  );
}
