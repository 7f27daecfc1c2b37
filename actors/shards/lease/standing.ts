// What a process knows of its own membership: when its last successful renewal was sent, hence how
// long it is sure that nobody has declared it dead. Pure; keeper.ts asks at every use, so that a
// process that was stopped or blocked is unsure at the first look after it wakes.
import { sureMs, type Terms } from './terms.ts';

/** Both clocks of a process at one moment. */
export interface Moment {
  /** Never goes back; may stand still while the machine sleeps. */
  readonly steady: number;
  /** Time of day; may jump. */
  readonly wall: number;
}

/** The more of both clocks: what either of them says has passed, may have passed. */
export const passed = (from: Moment, to: Moment): number =>
  Math.max(to.steady - from.steady, to.wall - from.wall);

export class Standing {
  readonly #terms: Terms;
  /** When the last renewal that succeeded was sent. */
  #renewed: Moment | undefined;
  /** The first one since which there was no doubt. */
  #sureSince: Moment | undefined;

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  /** A renewal that was sent then has succeeded now. */
  renewed(sent: Moment, now: Moment): void {
    if (!this.isSure(now)) this.#sureSince = now;
    if (this.#renewed === undefined || sent.steady > this.#renewed.steady) this.#renewed = sent;
  }

  /** The lease is gone. */
  lost(): void {
    this.#renewed = undefined;
  }

  /** Nobody can have declared us dead by now. */
  isSure(now: Moment): boolean {
    return this.#renewed !== undefined && passed(this.#renewed, now) < sureMs(this.#terms);
  }

  /** Renewals have failed for so long that the actors are to end. */
  isExpired(now: Moment): boolean {
    return this.#renewed === undefined || passed(this.#renewed, now) >= this.#terms.renewMs;
  }

  /** Milliseconds of the steady clock without doubt; whoever doubts himself judges nobody. */
  sureFor(now: Moment): number {
    const since = this.#sureSince;
    return since === undefined || !this.isSure(now) ? 0 : now.steady - since.steady;
  }

  /** Milliseconds since the last successful renewal was sent; undefined before the first. */
  sinceRenewal(now: Moment): number | undefined {
    return this.#renewed === undefined ? undefined : passed(this.#renewed, now);
  }
}
