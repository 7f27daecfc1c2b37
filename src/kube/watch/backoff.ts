// What a reflector does after a list failed or a watch ended: how long it waits, and whether it
// resumes or takes a complete list. Pure decisions, so that the table can be read and tested whole.
import type { Random } from '#actors/ports.ts';
import { backoff } from '#machines/contract/backoff.ts';
import type { Failure } from '../errors.ts';
import { backOffMs, maxResumeRefusals, missingKindRetryMs, shortWatchMs } from '../limits.ts';
import type { WatchOver } from './watch.ts';

/** Failures in a row, forgotten as soon as a watch makes progress. */
export interface Trouble {
  /** Lists and watches that failed since. */
  readonly failures: number;
  /** Watches that the server refused since the last complete list. */
  readonly refusals: number;
  /** A list was taken because of watches that told nothing, and none has told anything since: the
   *  next is taken when it is due (limits.unprovenMs). */
  readonly isListed: boolean;
}

export const noTrouble: Trouble = { failures: 0, refusals: 0, isListed: false };

export interface Step {
  /** Probe: only the version of the kind is asked for. */
  readonly next: 'list' | 'resume' | 'probe';
  readonly waitMs: number;
  readonly trouble: Trouble;
  /** Nobody was there: more than one lost request. */
  readonly isAway?: true;
}

/** Exponential from the first to the longest pause, each between half and all of it. */
export function backOff(failures: number, random: Random, most: number = backOffMs.most): number {
  return Math.round(backoff(failures, backOffMs.first, most) * (0.5 + random.next() / 2));
}

/** Where the server named a time it is obeyed, and a little spread, so that not all kinds return at
 *  the same moment. */
function pause(
  failure: Failure | undefined,
  failures: number,
  random: Random,
  most: number,
): number {
  if (failure?.retryAfterMs !== undefined) return failure.retryAfterMs + backOff(1, random);
  const isAway = failure?.code === 'UNREACHABLE';
  return backOff(failures, random, isAway ? backOffMs.unanswered : most);
}

/** The CRD is not installed, or we may not read it. */
export const isMissing = (failure: Failure): boolean =>
  failure.code === 'NOT_FOUND' || failure.code === 'FORBIDDEN';

/** An expired continue token (GONE) needs no other treatment: a list starts from the beginning.
 *  Where only a person can mend it the pauses grow further, but they start as short: a CRD that was
 *  just installed takes a moment to be served. */
export function afterList(failure: Failure, trouble: Trouble, random: Random): Step {
  const failures = trouble.failures + 1;
  const most = isMissing(failure) ? missingKindRetryMs : backOffMs.most;
  const waitMs = pause(failure, failures, random, most);
  const isAway = failure.code === 'UNREACHABLE' && trouble.failures > 0;
  const step = { next: 'list', waitMs, trouble: { ...trouble, failures } } as const;
  return isAway ? { ...step, isAway } : step;
}

/** Who comes back may have gone on from another history: then a version says nothing. */
export function afterProbe(failure: Failure, trouble: Trouble, random: Random): Step {
  const step = afterList(failure, trouble, random);
  return step.isAway === true ? step : { ...step, next: 'probe' };
}

export function afterWatch(over: WatchOver, before: Trouble, random: Random): Step {
  const { failure } = over;
  const isHeard = over.events > 0;
  // A refusal may take its time: only an event shows that the server accepted the watch.
  const madeProgress = isHeard || (!over.refused && over.lastedMs >= shortWatchMs);
  const isOrderly = failure === undefined && madeProgress && !over.silent;
  const isListed = before.isListed && !isHeard && !isOrderly;
  const trouble = { ...(madeProgress && !over.silent ? noTrouble : before), isListed };
  if (failure === undefined && madeProgress) {
    if (isHeard) return { next: 'resume', waitMs: 0, trouble };
    // Where nothing changes, a server may end a watch without a word. One that was restored from a
    // backup does so too, for as long as it is behind the version that it was asked for.
    if (!over.silent) return { next: 'probe', waitMs: 0, trouble };
    if (isListed) return { next: 'resume', waitMs: 0, trouble };
    return { next: 'list', waitMs: backOff(1, random), trouble: { ...trouble, isListed: true } };
  }
  return afterFailure(over, trouble, random);
}

function afterFailure(over: WatchOver, trouble: Trouble, random: Random): Step {
  const { failure } = over;
  const failures = trouble.failures + 1;
  const refusals = trouble.refusals + (over.refused ? 1 : 0);
  // The version is too old. The first time the list follows at once.
  if (failure?.code === 'GONE') {
    const waitMs = trouble.failures === 0 ? 0 : backOff(trouble.failures, random);
    return { next: 'list', waitMs, trouble: { ...trouble, failures, refusals: 0 } };
  }
  const waitMs = pause(failure, failures, random, backOffMs.most);
  if (trouble.isListed || !mustList(over, refusals)) {
    return { next: 'resume', waitMs, trouble: { ...trouble, failures, refusals } };
  }
  const step = {
    next: 'list',
    waitMs,
    trouble: { failures, refusals: 0, isListed: true },
  } as const;
  return failure?.code === 'UNREACHABLE' ? { ...step, isAway: true } : step;
}

/** Resuming is cheap and usually right. A list is due where the server refuses the request for what
 *  it says (a version that it never had), or keeps refusing it, and where nobody was there: who
 *  comes back may have forgotten the version. */
function mustList({ failure, refused, lastedMs }: WatchOver, refusals: number): boolean {
  switch (failure?.code) {
    case undefined:
    case 'THROTTLED':
    case 'UNAUTHORIZED':
      return false;
    case 'UNREACHABLE':
      return lastedMs < shortWatchMs;
    case 'SERVER_ERROR':
      return refusals > maxResumeRefusals;
    default:
      return refused;
  }
}
