// What the status of a PodClique counts, and the conditions that follow from it (spec controllers
// 2.1, 2.2). Part of clique.ts.
import type { Stored } from '#src/devcluster/contract.ts';
import { at, listAt, numberAt, templateHashOf, textAt, uidOf } from '../fields.ts';
import { type Complaints, isOwnedBy } from '../oracles/complaints.ts';
import { namespace } from '../users/workload.ts';
import { isGoing } from '../oracles/shown.ts';
import { isHeldPod } from '../world/pending.ts';

export const podsOf = ({ store }: Complaints, clique: Stored): readonly Stored[] =>
  store
    .collection('/pods')
    .list(namespace)
    .filter((pod) => isOwnedBy(pod, uidOf(clique)));

/** What the status counts, pods on their way out included (spec controllers 2.1). */
export interface Counts {
  readonly all: number;
  /** Those of the template; a held one may be of an older one. */
  readonly updated: number;
  /** Ready ones that stay. */
  readonly done: number;
  readonly ready: number;
  readonly scheduled: number;
  readonly gated: number;
  /** Scheduled ones less those that started without being ready, e.g. on their way out. */
  readonly good: number;
}

/** One that should be gone counts as such after a while by the clock of the controller, which may
 *  be any: as many of those that are held, from the oldest, as the status says. */
export function countPods(complaints: Complaints, clique: Stored): Counts {
  const pods = podsOf(complaints, clique);
  const hash = templateHashOf(clique);
  const held = pods
    .filter((pod) => isHeldPod(complaints.store, pod))
    .toSorted((a, b) => (deletesAt(a) < deletesAt(b) ? -1 : 1));
  const possible = [...held, undefined].map((_, many) => {
    const gone = held.slice(0, many);
    return countThose(
      pods.filter((pod) => !gone.includes(pod)),
      hash,
    );
  });
  const is = (counts: Counts): boolean =>
    counts.updated === numberAt(clique, 'status', 'updatedReplicas') &&
    counts.scheduled === numberAt(clique, 'status', 'scheduledReplicas');
  return possible.find(is) ?? countThose(pods, hash);
}

const deletesAt = (pod: Stored): string => textAt(pod, 'metadata', 'deletionTimestamp');

function countThose(pods: readonly Stored[], hash: string | undefined): Counts {
  const count = (type: string): number =>
    pods.filter((pod) => conditionOf(pod, type) === 'True').length;
  const gated = pods.filter((pod) => reasonOf(pod, 'PodScheduled') === 'SchedulingGated').length;
  const scheduled = count('PodScheduled');
  const good = scheduled - pods.filter(isStartedNotReady).length;
  const done = pods.filter((pod) => !isGoing(pod) && conditionOf(pod, 'Ready') === 'True').length;
  const updated = pods.filter((pod) => templateHashOf(pod) === hash).length;
  return { all: pods.length, updated, done, ready: count('Ready'), scheduled, gated, good };
}

const isStartedNotReady = (pod: Stored): boolean =>
  conditionOf(pod, 'Ready') !== 'True' &&
  listAt(pod, 'status', 'containerStatuses').some(
    (row) => at(row, 'started') === true && at(row, 'ready') === false,
  );

/** None of the pods has failed; one that is held while it terminates is scheduled, and not good. */
export function breached({ scheduled: found, good }: Counts, least: number): readonly string[] {
  const type = 'MinAvailableBreached';
  const numbers = `expected at least: ${least}, found: ${good}`;
  if (found < least) {
    const message = `Scheduled replicas (${found}) below MinAvailable (${least})`;
    return [type, 'True', 'ScheduledReplicasBelowMinAvailable', message];
  }
  return good < least
    ? [type, 'True', 'InsufficientReadyPods', `Insufficient ready or starting pods. ${numbers}`]
    : [
        type,
        'False',
        'SufficientReadyPods',
        `Either sufficient ready or starting pods found. ${numbers}`,
      ];
}

export const scheduled = (found: number, least: number): readonly string[] => {
  const numbers = `expected at least: ${least}, found: ${found}`;
  return found < least
    ? [
        'PodCliqueScheduled',
        'False',
        'InsufficientScheduledPods',
        `Insufficient scheduled pods. ${numbers}`,
      ]
    : [
        'PodCliqueScheduled',
        'True',
        'SufficientScheduledPods',
        `Sufficient scheduled pods found. ${numbers}`,
      ];
};

export const reasonOf = (object: unknown, type: string): string =>
  textAt(
    listAt(object, 'status', 'conditions').find((row) => textAt(row, 'type') === type),
    'reason',
  );

export const conditionOf = (object: unknown, type: string): string =>
  textAt(
    listAt(object, 'status', 'conditions').find((row) => textAt(row, 'type') === type),
    'status',
  );
