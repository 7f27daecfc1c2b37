// What condition Ready must say by the counts of a status, for the oracles of the property tests
// and of the simulator. Written from decision 0029 and not from the code under test.
import { listAt, textAt } from '#test/sim/fields.ts';

export interface Said {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export const said = (type: string, status: string, reason: string, message: string): Said => ({
  type,
  status,
  reason,
  message,
});

export interface PodCounts {
  readonly replicas: number;
  readonly scheduled: number;
  readonly updated: number;
  readonly ready: number;
  /** Pods that stay, are ready and up to date. */
  readonly done: number;
}

/** Of a PodClique that wants so many pods, is not in an update and has no errors. */
export function podsReady(
  { replicas, scheduled, updated, ready, done }: PodCounts,
  { wanted, least }: { readonly wanted: number; readonly least: number },
): Said {
  const short = (reason: string, many: number, are: string): Said =>
    said('Ready', 'False', reason, `${many} of ${wanted} pods ${are}`);
  const inAll = `${wanted} pods are ready and up to date`;
  if (done >= wanted) return said('Ready', 'True', 'PodsReady', `${wanted} of ${inAll}`);
  if (done >= least) {
    return said('Ready', 'False', 'MinAvailableReady', `At least ${least} of ${inAll}`);
  }
  if (replicas < wanted) return short('PodsMissing', replicas, 'are there');
  if (scheduled < wanted) return short('PodsUnscheduled', scheduled, 'are scheduled');
  if (updated < wanted) return short('PodsOutdated', updated, 'are up to date');
  if (ready < wanted) return short('PodsNotReady', ready, 'are ready');
  const message = 'Some of the pods that are ready are being deleted';
  return said('Ready', 'False', 'PodsReplaced', message);
}

export interface ReplicaCounts {
  readonly available: number;
  readonly updated: number;
  /** Updated without pods that are going. */
  readonly done: number;
}

/** The same of a scaling group or a set. `least`: the minimum of a group. */
export function ownerReady(
  { available, updated, done }: ReplicaCounts,
  { wanted, least }: { readonly wanted: number; readonly least?: number },
): Said {
  const short = (reason: string, many: number, are: string): Said =>
    said('Ready', 'False', reason, `${many} of ${wanted} replicas are ${are}`);
  const inAll = `${wanted} replicas are available and up to date`;
  if (done >= wanted) return said('Ready', 'True', 'ReplicasReady', `${wanted} of ${inAll}`);
  if (least !== undefined && done >= least) {
    return said('Ready', 'False', 'MinAvailableReady', `At least ${least} of ${inAll}`);
  }
  if (available < wanted) return short('ReplicasUnavailable', available, 'available');
  if (updated < wanted) return short('ReplicasOutdated', updated, 'up to date');
  const message = 'Pods of replicas that are up to date are being replaced';
  return said('Ready', 'False', 'ReplicasReplaced', message);
}

const ofTermination = /^replica \d+ is terminated at \S+Z, unless \S+ \S+ has its minimum by then$/;

/** The same of a set: what Ready said of a termination stays until something else of the status
 *  changes. `status`: as it is. */
export function orTermination(ready: Said, status: unknown): Said {
  const is = listAt(status, 'conditions').find((row) => textAt(row, 'type') === 'Ready');
  const [reason, message] = [textAt(is, 'reason'), textAt(is, 'message')];
  const isToldOf = reason === 'TerminationDue' && ofTermination.test(message);
  return isToldOf && ready.status === 'False' ? { ...ready, reason, message } : ready;
}

/** As a row of the simulator's oracle. */
export const stated = ({ type, status, reason, message }: Said): readonly string[] => [
  type,
  status,
  reason,
  message,
];
