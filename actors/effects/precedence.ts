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
  /** Somebody was turned away, and is called once one more may go. */
  #isAwaited = false;

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
    if (!isHeld || (this.#yielding === 0 && now >= this.#next)) return true;
    this.#isAwaited = true;
    if (this.#yielding === 0) this.#resumeAfter(this.#next - now);
    return false;
  }

  sent(rank: Rank): void {
    if (rank === 'first') this.#first++;
    if (!yields(rank)) return;
    this.#yielding++;
    const { clock, limits } = this.#parts;
    this.#next = clock.steady() + limits.yieldDistanceMs;
  }

  landed(rank: Rank): void {
    const { clock, limits } = this.#parts;
    const now = clock.steady();
    if (yields(rank)) {
      this.#yielding--;
      // Who was turned away for it may be another than who sent it.
      if (this.#isAwaited) this.#resumeAfter(Math.max(0, this.#next - now));
    }
    if (rank !== 'first') return;
    this.#first--;
    this.#until = now + limits.yieldMs;
  }

  #resumeAfter(ms: number): void {
    this.#parts.deadlines.after('precedence', ms, () => {
      this.#isAwaited = false;
      for (const resumed of this.#resumed) resumed();
    });
  }
}
