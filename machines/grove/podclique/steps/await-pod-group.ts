// Where the scheduler needs a PodGroup, pods are created when that is there, which follows
// its PodGang within a moment: then they need no gate. Nobody waits for long: after a second they
// are created all the same, held by our gate until the PodGroup comes.
import type { EpochMs } from '../../../kubernetes/time.ts';
import { idle } from '../../../statechart/step.ts';
import { podGroupWaitMs } from '../../objects/limits.ts';
import type { ObservedClique } from '../../objects/podclique.ts';
import { isBaseOpen, missingPodGroup } from '../context.ts';
import type { CliqueContext, Result, Step } from '../context.ts';
import { missingSlots } from './slots.ts';

export const awaitPodGroup: Step = (context, clique, now) => {
  const isWaiting =
    missingPodGroup(context, clique) !== undefined && missingSlots(context, clique).length > 0;
  if (isWaiting === (context.ungroupedSince !== undefined)) return waiting(context, now);
  const changes = { ungroupedSince: isWaiting ? now : undefined };
  return { ...waiting(changes, now), changes };
};

type Since = Pick<CliqueContext, 'ungroupedSince'>;

function waiting(context: Since, now: EpochMs): Result {
  const until = podGroupDeadline(context, now);
  return until === null ? idle : { ...idle, waits: [{ until }] };
}

/** True while no pod is created. One that another gate reason holds anyway need not wait. */
export const isAwaiting = (context: CliqueContext, clique: ObservedClique, now: EpochMs): boolean =>
  isBaseOpen(context, clique) && podGroupDeadline(context, now) !== null;

/** When the patience ends; null where it has, or where nothing is waited for. */
function podGroupDeadline({ ungroupedSince }: Since, now: EpochMs): EpochMs | null {
  if (ungroupedSince === undefined) return null;
  const end = ungroupedSince + podGroupWaitMs;
  // A clock that was set back must not make anybody wait longer.
  return now < end && now >= ungroupedSince ? end : null;
}
