// While objects wait for `first` writes, what nobody waits for goes one at a time and with a pause
// after each: the API server has only so much to give, and each write that it does not get makes
// the others quicker. What is only told about (`lazy`, `last`) gives way in the same manner to what
// is still to be made (`behind`). Asked by the effect runner and by the recorder of Events; all of
// one process share it.
import type { Limits } from '../limits.ts';
import type { Clock } from '../ports.ts';
import type { Deadlines } from '../run/deadlines.ts';
import type { Rank } from './work.ts';

interface Parts {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly limits: Pick<Limits, 'yieldMs' | 'yieldDistanceMs' | 'lastYieldMs' | 'lastDistanceMs'>;
  /** What waits may go again. */
  readonly resumed: () => void;
}

export class Precedence {
  readonly #lines: readonly Line[];
  readonly #resumed: (() => void)[] = [];

  constructor(given: Omit<Parts, 'resumed'>) {
    const resumed = (): void => this.#resumed.forEach((resume) => resume());
    const parts = { ...given, resumed };
    const { yieldMs, yieldDistanceMs, lastYieldMs, lastDistanceMs } = parts.limits;
    const soon = { restMs: yieldMs, distanceMs: yieldDistanceMs };
    const late = { restMs: lastYieldMs, distanceMs: lastDistanceMs };
    this.#lines = [
      new Line(parts, { held: ['lazy', 'behind'], by: ['first'], ...soon }),
      new Line(parts, { held: ['lazy'], by: ['behind'], ...soon }),
      new Line(parts, { held: ['last'], by: ['first', 'behind'], ...late }),
    ];
  }

  /** Called when what waits may go again. */
  onResume(resumed: () => void): void {
    this.#resumed.push(resumed);
  }

  /** Objects wait for `first` writes. */
  get isPressed(): boolean {
    return this.#lines[0]?.isHeld === true;
  }

  maySend(rank: Rank): boolean {
    return this.#lines.every((line) => line.maySend(rank));
  }

  sent(rank: Rank): void {
    for (const line of this.#lines) line.sent(rank);
  }

  landed(rank: Rank): void {
    for (const line of this.#lines) line.landed(rank);
  }
}

/** Which ranks give way to which. */
interface Rule {
  readonly held: readonly Rank[];
  readonly by: readonly Rank[];
  /** After the last one that it gives way to. */
  readonly restMs: number;
  /** From one that is held to the next. */
  readonly distanceMs: number;
}

class Line {
  readonly #parts: Parts;
  readonly #rule: Rule;
  /** In flight of those that it gives way to, and of its own. */
  #before = 0;
  #own = 0;
  /** Until when the last one that it gives way to counts, on the steady clock. */
  #until = Number.NEGATIVE_INFINITY;
  /** When the next one of its own may go while it is held. */
  #next = Number.NEGATIVE_INFINITY;
  /** Somebody was turned away, and is called once one more may go. */
  #isAwaited = false;
  /** When that is, where it is known, on the steady clock. */
  #resumesAt: number | undefined;

  constructor(parts: Parts, rule: Rule) {
    this.#parts = parts;
    this.#rule = rule;
  }

  get isHeld(): boolean {
    return this.#before > 0 || this.#parts.clock.steady() < this.#until;
  }

  maySend(rank: Rank): boolean {
    if (!this.#rule.held.includes(rank)) return true;
    const now = this.#parts.clock.steady();
    if (!this.isHeld || (this.#own === 0 && now >= this.#next)) return true;
    this.#isAwaited = true;
    if (this.#own === 0) this.#resumeAt(this.#next);
    return false;
  }

  sent(rank: Rank): void {
    if (this.#rule.by.includes(rank)) this.#before++;
    if (!this.#rule.held.includes(rank)) return;
    this.#own++;
    this.#next = this.#parts.clock.steady() + this.#rule.distanceMs;
  }

  landed(rank: Rank): void {
    const now = this.#parts.clock.steady();
    if (this.#rule.held.includes(rank)) {
      this.#own--;
      // Who was turned away for it may be another than who sent it.
      if (this.#isAwaited) this.#resumeAt(Math.max(now, this.#next));
    }
    if (!this.#rule.by.includes(rank)) return;
    this.#before--;
    this.#until = now + this.#rule.restMs;
  }

  /** It is asked for each write that is picked, and most of these change nothing. */
  #resumeAt(at: number): void {
    if (this.#resumesAt === at) return;
    this.#resumesAt = at;
    const { clock, deadlines, resumed } = this.#parts;
    deadlines.after(`precedence ${this.#rule.held.join(' ')}`, at - clock.steady(), () => {
      this.#resumesAt = undefined;
      this.#isAwaited = false;
      resumed();
    });
  }
}
