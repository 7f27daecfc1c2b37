// What happens to IMEX: started once our own row is there, told of a changed map by a signal, and
// started anew where it would be at odds with its peers about its own index (spec compute-domain
// 3.4, #1418). Pure; supervisor.ts carries it out.
import { backoff } from '#machines/contract/backoff.ts';

/** What IMEX is to know. */
export interface Desired {
  /** The number by which it has to know itself: its line in the nodes file. */
  readonly identity: number;
  /** Who has which slot, as text: equal where nothing has changed. */
  readonly map: string;
}

export type Child =
  | {
      readonly phase: 'stopped';
      /** When it ended unexpectedly; undefined: it has not. */
      readonly endedAt: number | undefined;
      readonly mismatches: number;
    }
  | {
      readonly phase: 'running';
      readonly startedAt: number;
      /** With which it was started, and the map that it was last told of. */
      readonly knows: Desired;
      /** The number that it says it has; undefined: it has not said one. */
      readonly identified: number | undefined;
      /** Restarts in a row because of another number. */
      readonly mismatches: number;
    }
  /** It was asked to end. */
  | { readonly phase: 'stopping'; readonly mismatches: number };

export type Action =
  | { readonly do: 'nothing' }
  /** Looks again at that time. */
  | { readonly do: 'wait'; readonly until: number }
  | { readonly do: 'start' }
  | { readonly do: 'signal' }
  | { readonly do: 'restart'; readonly why: string; readonly isMismatch: boolean };

/** After an unexpected end. */
export const watchdogMs = 1_000;

/** IMEX that has not said its number by then is taken to have started all the same; before, a
 *  signal could meet a process that does not know what to do with it yet, and end it. */
export const startingMs = 1_000;

/** Restarts that do not help become rare: each breaks the memory that running jobs share. */
const mismatchMs = { first: 1_000, most: 60_000 } as const;

const nothing: Action = { do: 'nothing' };

/** Times by one clock, in milliseconds. */
export function decide(
  desired: Desired,
  child: Child,
  { now, hasNames }: { readonly now: number; readonly hasNames: boolean },
): Action {
  if (child.phase === 'stopping') return nothing;
  if (child.phase === 'stopped') {
    const from = child.endedAt === undefined ? now : child.endedAt + watchdogMs;
    return now >= from ? { do: 'start' } : { do: 'wait', until: from };
  }
  const { knows, identified, startedAt, mismatches } = child;
  const { identity } = desired;
  if (knows.identity !== identity) {
    return restart(`its index is ${identity} now, it was ${knows.identity}`, false);
  }
  const isWrong = identified !== undefined && identified !== identity;
  const pause = mismatches === 0 ? 0 : backoff(mismatches, mismatchMs.first, mismatchMs.most);
  if (isWrong && now >= startedAt + pause) {
    return restart(`it takes itself for ${identified}, its index is ${identity}`, true);
  }
  // Also while that restart has to wait: its peers are right all the same.
  if (knows.map !== desired.map) {
    if (!hasNames) return restart('the nodes have changed', false);
    const isUp = identified !== undefined || now >= startedAt + startingMs;
    return isUp ? { do: 'signal' } : { do: 'wait', until: startedAt + startingMs };
  }
  return isWrong ? { do: 'wait', until: startedAt + pause } : nothing;
}

const restart = (why: string, isMismatch: boolean): Action => ({ do: 'restart', why, isMismatch });

/** The number in IMEX's own words; undefined for any other line. */
export function identifiedIn(line: string): number | undefined {
  const [, id] = /Identified this node as ID (\d{1,9})\b/.exec(line) ?? [];
  return id === undefined ? undefined : Number(id);
}
