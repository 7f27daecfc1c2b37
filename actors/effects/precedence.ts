// While objects wait for `first` writes, what nobody waits for goes one at a time and with a pause
// after each: the API server has only so much to give, and each write that it does not get makes
// the others quicker. Asked by the effect runner and by the recorder of Events; all of one process
// share it.
import type { Limits } from '../limits.ts';
import type { Clock } from '../ports.ts';
import type { Deadlines } from '../run/deadlines.ts';
import type { Rank } from './work.ts';

interface Parts {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly limits: Pick<Limits, 'yieldMs' | 'yieldDistanceMs'>;
}

const yields = (rank: Rank): boolean => rank === 'lazy' || rank === 'behind';

export class Precedence {
  readonly #parts: Parts;
  readonly #resumed: (() => void)[] = [];
  #first = 0;
  #yielding = 0;
  /** Until when the last `first` write counts, on the steady clock. */
  #until = Number.NEGATIVE_INFINITY;
  /** When the next one that yields may go while it is held. */
  #next = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Called when what waits may go again. */
  onResume(resumed: () => void): void {
    this.#resumed.push(resumed);
  }

  maySend(rank: Rank): boolean {
    if (!yields(rank)) return true;
    const now = this.#parts.clock.steady();
    // `first` writes are in flight, or were a moment ago.
    const isHeld = this.#first > 0 || now < this.#until;
    if (!isHeld) return true;
    if (this.#yielding > 0) return false;
    if (now < this.#next) this.#resumeAfter(this.#next - now);
    return now >= this.#next;
  }

  sent(rank: Rank): void {
    if (rank === 'first') this.#first++;
    if (!yields(rank)) return;
    this.#yielding++;
    const { clock, limits } = this.#parts;
    this.#next = clock.steady() + limits.yieldDistanceMs;
  }

  landed(rank: Rank): void {
    if (yields(rank)) this.#yielding--;
    if (rank !== 'first') return;
    this.#first--;
    const { clock, limits } = this.#parts;
    this.#until = clock.steady() + limits.yieldMs;
    if (this.#first === 0) this.#resumeAfter(limits.yieldMs);
  }

  #resumeAfter(ms: number): void {
    this.#parts.deadlines.after('precedence', ms, () => {
      for (const resumed of this.#resumed) resumed();
    });
  }
}
