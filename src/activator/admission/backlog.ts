// All requests of the process that wait, whatever their revision: how many there may be, and how
// many bytes of their bodies. One per process; each Admission asks it for a place.
import { admissionDefaults } from './limits.ts';

export interface BacklogLimits {
  readonly maxWaitingInProcess: number;
  readonly maxWaitingBodyBytes: number;
}

export class Backlog {
  readonly #limits: BacklogLimits;
  #waiting = 0;
  #bodyBytes = 0;

  /** Throws a RangeError for limits that are no numbers from 0. */
  constructor(limits: BacklogLimits = admissionDefaults) {
    for (const name of ['maxWaitingInProcess', 'maxWaitingBodyBytes'] as const) {
      if (limits[name] >= 0) continue;
      throw new RangeError(`${name} must be a number from 0, not ${limits[name]}`);
    }
    this.#limits = limits;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get bodyBytes(): number {
    return this.#bodyBytes;
  }

  /** False: there is no room, and nothing was taken. Throws a RangeError for what is no number. */
  enter(bodyBytes: number): boolean {
    if (!(bodyBytes >= 0)) {
      throw new RangeError(`bodyBytes must be a number from 0, not ${bodyBytes}`);
    }
    const { maxWaitingInProcess, maxWaitingBodyBytes } = this.#limits;
    if (this.#waiting >= maxWaitingInProcess) return false;
    if (this.#bodyBytes + bodyBytes > maxWaitingBodyBytes) return false;
    this.#waiting += 1;
    this.#bodyBytes += bodyBytes;
    return true;
  }

  leave(bodyBytes: number): void {
    this.#waiting -= 1;
    this.#bodyBytes -= bodyBytes;
  }
}
