// What of a PodGang cannot be written as its set wants it. The podgang actor writes for the set and
// publishes what fails; the set's status tells of it (spec api 2.4).
import type { ErrorCode } from '../../contract/errors.ts';
import type { View } from '../../contract/view.ts';
import type { EpochMs } from '../../kubernetes/time.ts';

export interface GangFailure {
  readonly gang: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly at: EpochMs;
}

export interface FailuresEvent {
  readonly type: 'gangFailures.read';
  readonly failures: readonly GangFailure[];
}

/** By key of the PodCliqueSet. */
export const gangFailures: View<GangFailure, readonly GangFailure[]> = {
  name: 'gangFailures',
  valueOf: (items) => [...items.values()].toSorted((a, b) => (a.gang < b.gang ? -1 : 1)),
  isSameItem: (one, other) => one.code === other.code && one.message === other.message,
  event: (_, failures = []): FailuresEvent => ({ type: 'gangFailures.read', failures }),
  say: (failures) => `${failures.length} PodGangs cannot be written`,
};
