// While objects wait for `first` writes, what nobody waits for goes one at a time: the API server
// has only so much to give, and each write that it does not get makes the others quicker. Asked by
// the effect runner and by the recorder of Events; all of one process share it.
import type { Limits } from '../limits.ts';
import type { Clock } from '../ports.ts';
import type { Deadlines } from '../run/deadlines.ts';
import type { Rank } from './work.ts';

interface Parts {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly limits: Pick<Limits, 'yieldMs'>;
}

const yields = (rank: Rank): boolean => rank === 'lazy' || rank === 'behind';

export class Precedence {
  readonly #parts: Parts;
  readonly #resumed: (() => void)[] = [];
  #first = 0;
  #yielding = 0;
  /** Until when the last `first` write counts, on the steady clock. */
  #until = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Called when what waits may go again. */
  onResume(resumed: () => void): void {
    this.#resumed.push(resumed);
  }

  /** `first` writes are in flight, or were a moment ago. */
  get isHeld(): boolean {
    return this.#first > 0 || this.#parts.clock.steady() < this.#until;
  }

  maySend(rank: Rank): boolean {
    return !yields(rank) || this.#yielding === 0 || !this.isHeld;
  }

  sent(rank: Rank): void {
    if (rank === 'first') this.#first++;
    if (yields(rank)) this.#yielding++;
  }

  landed(rank: Rank): void {
    if (yields(rank)) this.#yielding--;
    if (rank !== 'first') return;
    this.#first--;
    const { clock, deadlines, limits } = this.#parts;
    this.#until = clock.steady() + limits.yieldMs;
    if (this.#first > 0) return;
    deadlines.after('precedence', limits.yieldMs, () => {
      for (const resumed of this.#resumed) resumed();
    });
  }
}
