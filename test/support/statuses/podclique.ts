// What the status of a PodClique must say, recomputed from its spec and its pods (spec controllers
// 2.1). Part of mismatches.ts.
import type { Kind } from '#machines/kinds.ts';
import { at, fieldsAt, labelsOf, listAt, numberAt, textAt, uidOf } from '#test/sim/fields.ts';
import { podsReady, said, type Said } from './ready.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface Cluster {
  readonly now: number;
  all(kind: Kind): readonly unknown[];
}

export const managed = 'app.kubernetes.io/managed-by=grove-operator';

const has = (pod: unknown, type: string, value: string, reason?: string): boolean =>
  listAt(pod, 'status', 'conditions').some(
    (one) =>
      at(one, 'type') === type &&
      at(one, 'status') === value &&
      (reason === undefined || at(one, 'reason') === reason),
  );

export const isGoing = (one: unknown): boolean =>
  at(one, 'metadata', 'deletionTimestamp') !== undefined;
export const nameOf = (one: unknown): string => textAt(one, 'metadata', 'name');

export const ownerOf = (one: unknown): string =>
  textAt(
    listAt(one, 'metadata', 'ownerReferences').find((owner) => at(owner, 'controller') === true),
    'uid',
  );

export const podsOf = (cluster: Cluster, clique: unknown): readonly unknown[] =>
  cluster.all('Pod').filter((pod) => ownerOf(pod) === uidOf(clique));

function isErrored(pod: unknown): boolean {
  const containers = ['initContainerStatuses', 'containerStatuses'].flatMap((field) =>
    listAt(pod, 'status', field),
  );
  return containers.some((one) => numberAt(one, 'lastState', 'terminated', 'exitCode') !== 0);
}

const isStarted = (pod: unknown): boolean =>
  listAt(pod, 'status', 'containerStatuses').some(
    (one) => at(one, 'started') === true && at(one, 'ready') === false,
  );

function isBad(pod: unknown): boolean {
  return !has(pod, 'Ready', 'True') && (isErrored(pod) || isStarted(pod));
}

export interface Judged {
  readonly fields: Fields;
  readonly conditions: readonly Said[];
  /** Its minimum is ready and up to date without pods that are going. */
  readonly isSufficient: boolean;
}

/** A value that moves only where this holds. */
export const moved = (status: Fields, field: string, isMoving: boolean, value: unknown): Fields => {
  const next = isMoving ? value : status[field];
  return next === undefined ? {} : { [field]: next };
};

/** Five minutes after its time: it counts as gone. */
const isStuck = ({ now }: Cluster, pod: unknown): boolean =>
  isGoing(pod) && Date.parse(textAt(pod, 'metadata', 'deletionTimestamp')) + 300_000 <= now;

export function cliqueOf(cluster: Cluster, clique: unknown): Judged {
  const pods = podsOf(cluster, clique).filter((pod) => !isStuck(cluster, pod));
  const status = fieldsAt(clique, 'status');
  const hash = labelsOf(clique)['grove.io/pod-template-hash'];
  const isTarget = (pod: unknown): boolean => labelsOf(pod)['grove.io/pod-template-hash'] === hash;
  const live = pods.filter((pod) => !isGoing(pod));
  const isReady = (pod: unknown): boolean => has(pod, 'Ready', 'True');
  const scheduled = pods.filter((pod) => has(pod, 'PodScheduled', 'True'));
  const good = scheduled.length - pods.filter(isBad).length;
  const updated = pods.filter(isTarget).length;
  const least = numberAt(clique, 'spec', 'minAvailable');
  const generation = at(clique, 'metadata', 'annotations', 'grove.io/podcliqueset-generation-hash');
  const isMoving = updated === live.length;
  const counts = {
    replicas: live.length,
    scheduled: scheduled.length,
    updated,
    ready: pods.filter(isReady).length,
    done: live.filter((pod) => isReady(pod) && isTarget(pod)).length,
  };
  const isMember = labelsOf(clique)['grove.io/podcliquescalinggroup'] !== undefined;
  const set = labelsOf(clique)['app.kubernetes.io/part-of'];
  const selector = `${managed},app.kubernetes.io/part-of=${set},grove.io/podclique=${nameOf(clique)}`;
  return {
    fields: {
      replicas: live.length,
      readyReplicas: counts.ready,
      scheduledReplicas: scheduled.length,
      scheduleGatedReplicas: pods.filter((pod) =>
        has(pod, 'PodScheduled', 'False', 'SchedulingGated'),
      ).length,
      updatedReplicas: updated,
      ...moved(status, 'currentPodTemplateHash', isMoving, hash),
      ...moved(status, 'currentPodCliqueSetGenerationHash', isMoving, generation),
      ...(isMember ? {} : { hpaPodSelector: selector }),
    },
    conditions: [
      scheduledBy(scheduled.length, least),
      breachedBy(scheduled.length, good, least),
      podsReady(counts, { wanted: numberAt(clique, 'spec', 'replicas'), least }),
    ],
    isSufficient: counts.done >= least && status['lastErrors'] === undefined,
  };
}

function scheduledBy(found: number, least: number): Said {
  const type = 'PodCliqueScheduled';
  const tail = `expected at least: ${least}, found: ${found}`;
  return found < least
    ? said(type, 'False', 'InsufficientScheduledPods', `Insufficient scheduled pods. ${tail}`)
    : said(type, 'True', 'SufficientScheduledPods', `Sufficient scheduled pods found. ${tail}`);
}

function breachedBy(found: number, good: number, least: number): Said {
  const type = 'MinAvailableBreached';
  const tail = `expected at least: ${least}, found: ${good}`;
  if (found < least) {
    const message = `Scheduled replicas (${found}) below MinAvailable (${least})`;
    return said(type, 'True', 'ScheduledReplicasBelowMinAvailable', message);
  }
  return good < least
    ? said(type, 'True', 'InsufficientReadyPods', `Insufficient ready or starting pods. ${tail}`)
    : said(
        type,
        'False',
        'SufficientReadyPods',
        `Either sufficient ready or starting pods found. ${tail}`,
      );
}
