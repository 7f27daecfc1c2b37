// How long a lazy status waits. Mere progress is worth a write only when things have come to rest:
// under load the next step makes it stale at once, and the status that others wait for overtakes
// it. So it waits until no other write was sent for a while, but never longer than its patience.
// A status or patch that is urgent waits too where its object had too many of them lately, however
// busy the others are: for the time between two looks.
import { refKey } from '#machines/contract/address.ts';
import type { Limits } from '../limits.ts';
import type { Clock } from '../ports.ts';
import type { Deadlines } from '../run/deadlines.ts';
import type { ObjectWrites } from './object-writes.ts';
import type { Work, WriteIntent } from './work.ts';

interface Parts {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly limits: Limits;
  /** The status may go into the queue. */
  readonly release: (writes: ObjectWrites) => void;
}

export class StatusThrottle {
  readonly #parts: Parts;
  #lastWrite = Number.NEGATIVE_INFINITY;
  /** Statuses and patches sent since the last turn, by object, and in the time before that. An
   *  object that took the name of another is another: it has not fought with anybody. */
  #recent = new Map<string, number>();
  #older: ReadonlyMap<string, number> = new Map();
  #turnedAt: number;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#turnedAt = parts.clock.steady();
  }

  wrote({ rank, intent }: Pick<Work, 'rank' | 'intent'>): void {
    if (rank !== 'lazy') this.#lastWrite = this.#parts.clock.steady();
    if (!isUpdate(intent)) return;
    this.#turn();
    const key = keyOf(intent);
    this.#recent.set(key, (this.#recent.get(key) ?? 0) + 1);
  }

  /** True for what is not to be sent at once. A patch of an object that is going takes off what
   *  holds it, and nobody fights over that: it never waits. */
  mustHold({ rank, intent }: Pick<Work, 'rank' | 'intent'>, isGoing: boolean): boolean {
    if (rank === 'lazy' || !isUpdate(intent)) return rank === 'lazy';
    if (isGoing && intent.type === 'patchObject') return false;
    this.#turn();
    const key = keyOf(intent);
    const sent = (this.#recent.get(key) ?? 0) + (this.#older.get(key) ?? 0);
    const { firstBurst, updateBurst } = this.#parts.limits;
    return sent >= (rank === 'first' ? firstBurst : updateBurst);
  }

  /** A write of the object is waiting. A successor takes over the time that its predecessor
   *  waited. */
  hold(writes: ObjectWrites): void {
    if (writes.heldSince !== undefined) return;
    writes.heldSince = this.#parts.clock.steady();
    this.#look(writes);
  }

  /** The object's status was sent, or there is none any more. */
  letGo(writes: ObjectWrites): void {
    if (writes.heldSince === undefined) return;
    writes.heldSince = undefined;
    this.#parts.deadlines.clear(nameOf(writes));
  }

  #turn(): void {
    const now = this.#parts.clock.steady();
    const { updateBurstMs } = this.#parts.limits;
    const passed = now - this.#turnedAt;
    if (passed < updateBurstMs) return;
    this.#turnedAt = now;
    this.#older = passed < 2 * updateBurstMs ? this.#recent : new Map();
    this.#recent = new Map();
  }

  #look(writes: ObjectWrites): void {
    const { clock, deadlines, limits, release } = this.#parts;
    deadlines.after(nameOf(writes), limits.lazyStatusMs, () => {
      const now = clock.steady();
      const waited = now - (writes.heldSince ?? now);
      const isLazy = (writes.queued?.rank ?? 'lazy') === 'lazy';
      const isBusy = now - this.#lastWrite < limits.lazyStatusMs;
      if (isLazy && isBusy && waited < limits.lazyStatusMaxMs) return this.#look(writes);
      this.letGo(writes);
      release(writes);
    });
  }
}

type Update = Extract<WriteIntent, { type: 'writeStatus' | 'patchObject' }>;

const isUpdate = (intent: WriteIntent): intent is Update =>
  intent.type === 'writeStatus' || intent.type === 'patchObject';

const keyOf = ({ ref, uid }: Update): string => `${refKey(ref)} ${uid}`;

const nameOf = (writes: ObjectWrites): string => `lazy ${writes.key}`;
