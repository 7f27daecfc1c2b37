// What others see of a revision's table of pods. The data plane owns the table, so that it outlives
// a crash of the revision's actor. Whoever applies the intents of the actor changes it, in
// `Admission.change`, which gives what became free to those who wait; the request path takes and
// returns permits through `Admission` too (../admission/types.ts).
//
// Nothing here reads a clock or waits. Each operation is one synchronous step: it either throws
// before it has changed anything, for an argument that is not one, or it is done completely.
import type { PodSnapshot, PodTarget, PolicyName, ReleasedPod } from '#machines/activator/table.ts';
import type { Micros } from '#machines/activator/time.ts';

export { policyNames } from '#machines/activator/table.ts';
export type {
  PodSnapshot,
  PodState,
  PodTarget,
  PolicyName,
  ReleaseCause,
  ReleasedPod,
  TargetState,
} from '#machines/activator/table.ts';

export interface TableOptions {
  /** Default: by the limit, as `policyFor` in options.ts says. */
  readonly policy?: PolicyName;
  /** Requests that one pod takes at once (container concurrency); 0: any number. */
  readonly limit: number;
  /** Pods that the revision may have; 0, missing or not a whole number: unknown. Twice as many
   *  slots are planned for: as many pods may drain as start. */
  readonly maxScale?: number;
  /** Most slots, whatever `maxScale` says. */
  readonly maxSlots?: number;
  /** Trailing holes go when more than this share of the slots below the high-water mark is empty;
   *  above 0, at most 1. */
  readonly trimThreshold?: number;
  /** Of the random numbers of this table, from 0 to 2^32 - 1. Tables with the same one make the
   *  same choices, so each gets another. */
  readonly seed: number;
  /** Hears of each pod that has left the table. Called while an operation goes on; it must not
   *  throw and must not use the table: it puts a fact into the actor's mailbox. */
  readonly onReleased?: (pod: ReleasedPod) => void;
}

/** What became of a pod that was to be in the table:
 *  - `added`, `changed`, `unchanged`: it is there in the state that was asked for;
 *  - `occupied`: another pod drains at its address, or is there with another id. Nothing was
 *    changed: the other one has to be removed, and `onReleased` tells when the address is free;
 *  - `full`: there is no slot, not even after growing. Nothing was changed; ask again later. */
export type PutOutcome = 'added' | 'changed' | 'unchanged' | 'occupied' | 'full';

/** `absent`: no pod at that address; `other`: a pod with another id, which stays. */
export type RemoveOutcome = 'released' | 'draining' | 'absent' | 'other';

/** What a snapshot of the endpoints has changed, for the one summary line of the log. */
export interface Recalculation {
  /** Pods that were there and are wanted, changed or not. */
  readonly kept: number;
  readonly added: number;
  /** Released at once; `draining`: released when their last request ends. */
  readonly removed: number;
  readonly draining: number;
  /** Routable from now on, and not any more. */
  readonly promoted: number;
  readonly demoted: number;
  /** Wanted, but without a slot: the address is occupied, or the table is full. */
  readonly blocked: number;
}

/** Counters and gauges. `active` and `available` are counted when asked for, the others kept. */
export interface TableFigures {
  /** Planned for; columns are allocated as the high-water mark rises. */
  readonly slots: number;
  /** 1 + index of the last slot in use. */
  readonly highWater: number;
  readonly live: number;
  readonly routable: number;
  readonly draining: number;
  /** Routable pods with a permit to give. */
  readonly available: number;
  /** Requests that the routable pods take together; `maxCapacity` (options.ts) for any number. */
  readonly capacity: number;
  /** Requests that hold a pod, or held one when it was released by force. */
  readonly active: number;
  /** Those of them whose pod is gone. */
  readonly detached: number;
  /** Holes below the high-water mark by slots below it; 0 for an empty table. */
  readonly fragmentation: number;
  /** Since the start: completions for a pod that is gone, pods released by force, times that the
   *  table grew beyond its plan, pods that found no slot. */
  readonly stale: number;
  readonly forced: number;
  readonly grown: number;
  readonly full: number;
  /** Slots that were looked at to lower the high-water mark; at most 2 for each pod released. */
  readonly trimVisits: number;
}

/** What the actor's intents come to. Given to the callback of `Admission.change` alone. */
export interface TableChanges {
  /** Adds a pod, or changes the state of the one that is there. A pod that drains and is put again
   *  with its id drains no longer. `now`: the time of the change. */
  put(pod: PodTarget, now: Micros): PutOutcome;

  /** Takes a pod out of the table: at once, or after the last of its requests has ended; meanwhile
   *  it drains and gets no new ones. Without `id` whatever pod is there. */
  remove(dest: string, id: string | undefined, now: Micros): RemoveOutcome;

  /** Puts all pods of a snapshot and removes all others, in place. Of two entries with one address
   *  the first one counts. Undefined for a version below the last one: it changes nothing then. The
   *  same pods again change nothing either, whatever their order. */
  recalculate(pods: readonly PodTarget[], version: number, now: Micros): Recalculation | undefined;

  /** Container concurrency of every pod from now on; 0: any number. Running requests stay. Throws
   *  a RangeError for what is no whole number from 0 to `maxCapacity`. */
  setLimit(limit: number): void;

  /** Plans for another number of pods. Never takes slots away that are in use. */
  setMaxScale(maxScale: number): void;

  /** Removes pods that are `not-ready` since before `cutoff` and have no request. How many. */
  removeStale(cutoff: Micros): number;

  /** Releases pods by force that drain since `cutoff` or longer. Their requests go on, detached.
   *  How many. */
  releaseDrained(cutoff: Micros): number;

  /** Computes all that follows from the columns anew, and releases by force what contradicts
   *  itself there. For the restart of an actor. What the audit had found, empty if nothing. */
  repair(): readonly string[];
}

/** What everybody may read. */
export interface TableView {
  readonly figures: TableFigures;
  readonly policy: PolicyName;
  /** Requests that one pod takes at once; 0: any number. */
  readonly limit: number;
  /** The version of the last snapshot; -Infinity before the first one. */
  readonly version: number;

  /** Of the pod at a slot. The request path reads all three in the turn of the admission, and
   *  keeps them: later the slot may have another pod. */
  genOf(index: number): number;
  destOf(index: number): string;
  idOf(index: number): string;

  /** All pods by index. */
  snapshot(): readonly PodSnapshot[];

  /** A sentence for each invariant of the columns that does not hold (audit.ts). */
  audit(): readonly string[];
}
