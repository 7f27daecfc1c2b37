// Admission to the pods of one revision, in one synchronous step: a request gets a permit of a pod,
// or it waits in line and holds nothing. types.ts says what each operation promises. No promise and
// no message is in the way of a request that finds a permit.
import { none } from '../table/columns.ts';
import type { Slots } from '../table/slots.ts';
import { PodTable } from '../table/table.ts';
import type { TableChanges, TableOptions, TableView } from '../table/types.ts';
import type { Backlog } from './backlog.ts';
import { admissionDefaults } from './limits.ts';
import type { Turns, Waking } from './turns.ts';
import {
  type AdmissionFigures,
  closed,
  mustWait,
  type Refusal,
  type RevisionAdmission,
  type Ticket,
  type WaitHandler,
} from './types.ts';
import { Waiter, Waiters } from './waiters.ts';

export interface AdmissionOptions {
  readonly table: TableOptions;
  /** Those of the process. */
  readonly backlog: Backlog;
  readonly turns: Turns;
  /** Requests that may wait. */
  readonly maxWaiting?: number;
}

export class Admission implements RevisionAdmission, Waking {
  readonly #table: PodTable;
  readonly #slots: Slots;
  readonly #backlog: Backlog;
  readonly #turns: Turns;
  readonly #maxWaiting: number;
  readonly #waiters = new Waiters();
  #isClosed = false;
  /** No request is admitted at once: closed, or others wait. All that the request path looks at. */
  #isShut = false;
  /** A handler that is called may call back: the loop that called it goes on. */
  #isWaking = false;
  #cancelled = 0;
  #overflowed = 0;

  /** Throws a RangeError for options that are out of bounds. */
  constructor({
    table,
    backlog,
    turns,
    maxWaiting = admissionDefaults.maxWaiting,
  }: AdmissionOptions) {
    if (!(maxWaiting >= 0)) {
      throw new RangeError(`maxWaiting must be a number from 0, not ${maxWaiting}`);
    }
    this.#table = new PodTable(table);
    this.#slots = this.#table.slots;
    this.#backlog = backlog;
    this.#turns = turns;
    this.#maxWaiting = maxWaiting;
  }

  get table(): TableView {
    return this.#table;
  }

  get figures(): AdmissionFigures {
    return {
      waiting: this.#waiters.size,
      cancelled: this.#cancelled,
      overflowed: this.#overflowed,
      isWaking: this.#turns.has(this),
    };
  }

  admit(): number {
    // Nobody overtakes those who wait.
    if (this.#isShut) return this.#isClosed ? closed : mustWait;
    return this.#slots.take();
  }

  wait(handler: WaitHandler, bodyBytes = 0): Ticket | Refusal {
    if (this.#isClosed) return 'closed';
    if (this.#waiters.size >= this.#maxWaiting || !this.#backlog.enter(bodyBytes)) {
      this.#overflowed += 1;
      return 'queue-full';
    }
    const waiter = new Waiter(handler, bodyBytes);
    this.#waiters.push(waiter);
    this.#isShut = true;
    // For who did not try to be admitted first.
    if (!this.#slots.policy.isEmpty) this.#turns.later(this);
    return waiter;
  }

  cancel(ticket: Ticket): boolean {
    if (!(ticket instanceof Waiter) || !this.#waiters.remove(ticket)) return false;
    this.#left(ticket);
    this.#cancelled += 1;
    return true;
  }

  complete(index: number, gen: number): void {
    this.#slots.giveBack(index, gen);
    if (this.#isShut) this.wake(1);
  }

  change<T>(change: (table: TableChanges) => T): T {
    try {
      return change(this.#table);
    } finally {
      if (this.#waiters.size > 0) this.wake(this.#turns.perTurn);
    }
  }

  stop(): void {
    this.#isClosed = true;
    this.#isShut = true;
    this.wake(this.#turns.perTurn);
  }

  close(): void {
    this.#table.close();
    this.stop();
  }

  wake(most: number): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    try {
      for (let left = most; left > 0 && this.#answerFirst(); left--);
    } finally {
      this.#isWaking = false;
      if (this.#canAnswer()) this.#turns.later(this);
    }
  }

  /** It does not wait any more, answered or cancelled. */
  #left(waiter: Waiter): void {
    this.#backlog.leave(waiter.bodyBytes);
    this.#isShut = this.#isClosed || this.#waiters.size > 0;
  }

  #canAnswer(): boolean {
    return this.#waiters.size > 0 && (this.#isClosed || !this.#slots.policy.isEmpty);
  }

  /** False: nobody waits, or there is no permit. */
  #answerFirst(): boolean {
    if (!this.#canAnswer()) return false;
    const index = this.#isClosed ? none : this.#slots.take();
    const waiter = this.#waiters.shift();
    if (waiter === undefined) return false;
    this.#left(waiter);
    if (index === none) waiter.handler.refused('closed');
    else waiter.handler.granted(index, this.#table.genOf(index));
    return true;
  }
}
