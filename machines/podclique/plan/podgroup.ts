// Phase: where the scheduler needs a PodGroup, pods are created when that is there, which follows
// its PodGang within a moment: then they need no gate. Nobody waits for long: after a second they
// are created all the same, held by our gate until the PodGroup comes.
import { podGroupPatienceMs } from '../../limits.ts';
import { idle } from '../../phases.ts';
import type { EpochMs } from '../../vocabulary.ts';
import { isBaseOpen, missingPodGroup } from '../context.ts';
import type { CliqueContext, Phase } from '../context.ts';
import type { CliqueFact } from '../facts.ts';
import { emptySeats } from './seats.ts';

export const awaitPodGroup: Phase = (context, clique, now) => {
  const isWaiting =
    missingPodGroup(context, clique) !== undefined && emptySeats(context, clique).length > 0;
  if (isWaiting === (context.ungroupedSince !== undefined)) return idle;
  return { intents: [], changes: { ungroupedSince: isWaiting ? now : undefined } };
};

/** True while no pod is created. One that another gate reason holds anyway need not wait. */
export const isAwaiting = (context: CliqueContext, clique: CliqueFact, now: EpochMs): boolean =>
  isBaseOpen(context, clique) && podGroupDeadline(context, now) !== null;

/** When the patience ends; null where it has, or where nothing is waited for. */
export function podGroupDeadline({ ungroupedSince }: CliqueContext, now: EpochMs): EpochMs | null {
  if (ungroupedSince === undefined) return null;
  const end = ungroupedSince + podGroupPatienceMs;
  // A clock that was set back must not make anybody wait longer.
  return now < end && now >= ungroupedSince ? end : null;
}
