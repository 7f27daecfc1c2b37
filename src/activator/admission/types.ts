// What the request path and the glue to the actor see of a revision's admission: it gives permits
// of pods to requests, in the order in which they came, and lets those wait for which there is
// none. One per revision; it owns the revision's table of pods (../table/types.ts).
import { none } from '../table/columns.ts';
import type { TableChanges, TableView } from '../table/types.ts';

/** `Admission.admit`: there is no permit, or others wait for one. The request may `wait`. */
export const mustWait = none;

/** `Admission.admit`: the revision is closed. */
export const closed = -2;

/** Why a request was not admitted:
 *  - `queue-full`: too many wait, for this revision or in the process (503);
 *  - `closed`: the revision is gone. */
export type Refusal = 'queue-full' | 'closed';

/** What a waiting request is told, once, unless it cancels. Called when admission has done its
 *  own work, so both may call it again. Neither may throw. */
export interface WaitHandler {
  /** As an index that `admit` returns. It must be completed, even by a client that is gone. */
  granted(index: number, gen: number): void;
  refused(reason: Refusal): void;
}

/** A place in the queue, to cancel it by. */
export interface Ticket {
  readonly isWaiting: boolean;
}

export interface AdmissionFigures {
  readonly waiting: number;
  /** Since the start: waiting requests that cancelled, requests that found the queue full. */
  readonly cancelled: number;
  readonly overflowed: number;
  /** Grants are under way that the next turn of the event loop goes on with. */
  readonly isWaking: boolean;
}

/** The operations of a revision. None of them waits, and none of admit, complete and cancel
 *  allocates. */
export interface RevisionAdmission {
  /** Readable at any time. */
  readonly table: TableView;
  readonly figures: AdmissionFigures;

  /** Takes a permit of a pod: the index of its slot, `mustWait` or `closed`. The caller reads gen,
   *  dest and id of the index at once (`table.genOf` and so on) and keeps them. */
  admit(): number;

  /** Queues a request. A refusal comes as the result, and the handler is not called then.
   *  `bodyBytes`: what of its body the process holds meanwhile. */
  wait(handler: WaitHandler, bodyBytes?: number): Ticket | Refusal;

  /** Takes a request out of the queue. False: it does not wait any more. */
  cancel(ticket: Ticket): boolean;

  /** Returns the permit of a request that has ended, however it ended; once for each admission. A
   *  pod that is gone meanwhile is left alone, and so is the one that has its slot now. The permit
   *  goes to the first that waits. Throws for a permit that nobody holds. */
  complete(index: number, gen: number): void;

  /** Changes the table, and admits those that can be: some at once, the rest in the next turns of
   *  the event loop. What `change` returns; where it throws, requests are admitted all the same. */
  change<T>(change: (table: TableChanges) => T): T;

  /** Refuses all that wait, and those who come. Pods stay until `change` takes them away. */
  stop(): void;

  /** Refuses all that wait, and releases every pod. Requests that run go on, detached. */
  close(): void;
}
