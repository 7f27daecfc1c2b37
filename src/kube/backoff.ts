// What a reflector does after a list failed or a watch ended: how long it waits, and whether it
// resumes or takes a complete list. Pure decisions, so that the table can be read and tested whole.
import type { Random } from '#actors/ports.ts';
import type { Failure } from './errors.ts';
import { backOffMs, maxResumeRefusals, missingKindRetryMs, shortWatchMs } from './limits.ts';
import type { WatchOver } from './watch.ts';

/** Failures in a row, forgotten as soon as a watch makes progress. */
export interface Trouble {
  /** Lists and watches that failed since. */
  readonly failures: number;
  /** Watches that the server refused since the last complete list. */
  readonly refusals: number;
}

export const noTrouble: Trouble = { failures: 0, refusals: 0 };

export interface Step {
  readonly next: 'list' | 'resume';
  readonly waitMs: number;
  readonly trouble: Trouble;
}

/** Exponential from the first to the longest pause, each between half and all of it. */
export function backOff(failures: number, random: Random, most: number = backOffMs.most): number {
  const full = Math.min(most, backOffMs.first * 2 ** Math.max(0, failures - 1));
  return Math.round(full * (0.5 + random.next() / 2));
}

/** Where the server named a time it is obeyed, and a little spread, so that not all kinds return at
 *  the same moment. Where only a person can mend it the back-off grows further, but it starts as
 *  quick: a CRD that was just installed takes a moment to be served. */
function pause(failure: Failure | undefined, failures: number, random: Random): number {
  if (failure?.retryAfterMs !== undefined) return failure.retryAfterMs + backOff(1, random);
  return backOff(failures, random, longest(failure));
}

function longest(failure: Failure | undefined): number {
  if (failure === undefined) return backOffMs.most;
  if (failure.code === 'UNREACHABLE') return backOffMs.unanswered;
  return isMissing(failure) ? missingKindRetryMs : backOffMs.most;
}

/** The CRD is not installed, or we may not read it. */
export const isMissing = (failure: Failure): boolean =>
  failure.code === 'NOT_FOUND' || failure.code === 'FORBIDDEN';

/** An expired continue token (GONE) needs no other treatment: a list starts from the beginning. */
export function afterList(failure: Failure, trouble: Trouble, random: Random): Step {
  const failures = trouble.failures + 1;
  const waitMs = pause(failure, failures, random);
  return { next: 'list', waitMs, trouble: { ...trouble, failures } };
}

export function afterWatch(over: WatchOver, before: Trouble, random: Random): Step {
  const { failure } = over;
  // A refusal may take its time: only an event shows that the server accepted the watch.
  const madeProgress = over.events > 0 || (!over.refused && over.lastedMs >= shortWatchMs);
  const trouble = madeProgress && !over.silent ? noTrouble : before;
  if (failure === undefined && madeProgress) return { next: 'resume', waitMs: 0, trouble };

  const failures = trouble.failures + 1;
  const refusals = trouble.refusals + (over.refused ? 1 : 0);
  // The version is too old. The first time the list follows at once.
  if (failure?.code === 'GONE') {
    const waitMs = trouble.failures === 0 ? 0 : backOff(trouble.failures, random);
    return { next: 'list', waitMs, trouble: { failures, refusals: 0 } };
  }
  const waitMs = pause(failure, failures, random);
  const next = mustList(failure, over.refused, refusals) ? 'list' : 'resume';
  return { next, waitMs, trouble: { failures, refusals: next === 'list' ? 0 : refusals } };
}

/** Resuming is cheap and usually right. A list is due where the server refuses the request for what
 *  it says (a version that it never had), or keeps refusing it. */
function mustList(failure: Failure | undefined, refused: boolean, refusals: number): boolean {
  if (failure === undefined || !refused) return false;
  switch (failure.code) {
    case 'THROTTLED':
    case 'UNAUTHORIZED':
      return false;
    case 'SERVER_ERROR':
      return refusals > maxResumeRefusals;
    default:
      return true;
  }
}
