// How long a lazy status waits. Mere progress is worth a write only when things have come to rest:
// under load the next step makes it stale at once, and the status that others wait for overtakes
// it. So it waits until no other write was sent for a while, but never longer than its patience.
import type { EpochMs } from '#machines/vocabulary.ts';
import type { Deadlines } from '../deadlines.ts';
import type { Limits } from '../limits.ts';
import type { Clock } from '../ports.ts';
import type { Lane } from './lane.ts';

interface Parts {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly limits: Limits;
  /** The status may go into the queue. */
  readonly release: (lane: Lane) => void;
}

export class Patience {
  readonly #parts: Parts;
  #lastWrite: EpochMs = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A write that is not lazy was sent. */
  wrote(): void {
    this.#lastWrite = this.#parts.clock.now();
  }

  /** The lane holds a lazy status. A successor takes over the time that its predecessor waited. */
  hold(lane: Lane): void {
    if (lane.heldSince !== undefined) return;
    lane.heldSince = this.#parts.clock.now();
    this.#look(lane);
  }

  /** The lane's status was sent, or there is none any more. */
  letGo(lane: Lane): void {
    if (lane.heldSince === undefined) return;
    lane.heldSince = undefined;
    this.#parts.deadlines.clear(nameOf(lane));
  }

  #look(lane: Lane): void {
    const { clock, deadlines, limits, release } = this.#parts;
    deadlines.after(nameOf(lane), limits.lazyStatusMs, () => {
      const now = clock.now();
      const waited = now - (lane.heldSince ?? now);
      const isBusy = now - this.#lastWrite < limits.lazyStatusMs;
      // A clock that was set back must not make anybody wait longer.
      if (isBusy && waited >= 0 && waited < limits.lazyPatienceMs) return this.#look(lane);
      this.letGo(lane);
      release(lane);
    });
  }
}

const nameOf = (lane: Lane): string => `lazy ${lane.key}`;
