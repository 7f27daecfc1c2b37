// While objects wait for `first` writes, what nobody waits for goes one at a time and with a pause
// after each, which is shorter the longer that goes on: the API server has only so much to give,
// and each write that it does not get makes the others quicker. What is only told about (`lazy`,
// `last`) gives way in the same manner to what is still to be made (`behind`). Asked by the effect
// runner and by the recorder of Events; all of one process share it.
import type { Limits } from '../limits.ts';
import type { Clock } from '../ports.ts';
import type { Deadlines } from '../run/deadlines.ts';
import type { Rank } from './work.ts';

interface Parts {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly limits: Pick<
    Limits,
    'yieldMs' | 'lastYieldMs' | 'yieldDistanceMs' | 'yieldPatienceMs' | 'yieldHalvingMs'
  >;
  /** What waits may go again. */
  readonly resumed: () => void;
}

export class Precedence {
  readonly #lines: readonly Line[];
  readonly #resumed: (() => void)[] = [];

  constructor(given: Omit<Parts, 'resumed'>) {
    const resumed = (): void => this.#resumed.forEach((resume) => resume());
    const parts = { ...given, resumed };
    const { yieldMs, lastYieldMs } = parts.limits;
    this.#lines = [
      new Line(parts, { held: ['lazy', 'behind'], by: ['first'], restMs: yieldMs }),
      new Line(parts, { held: ['lazy'], by: ['behind'], restMs: yieldMs }),
      new Line(parts, { held: ['last'], by: ['first', 'behind'], restMs: lastYieldMs }),
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
}

class Line {
  readonly #parts: Parts;
  readonly #rule: Rule;
  /** In flight of those that it gives way to, and of its own. */
  #before = 0;
  #own = 0;
  /** Since when it is held, and until when the last one that it gives way to counts, on the steady
   *  clock. */
  #since = Number.NEGATIVE_INFINITY;
  #until = Number.NEGATIVE_INFINITY;
  /** When the next one of its own may go while it is held. */
  #next = Number.NEGATIVE_INFINITY;
  /** Somebody was turned away, and is called once one more may go. */
  #isAwaited = false;
  /** When that is looked at, on the steady clock. */
  #looksAt = Infinity;

  constructor(parts: Parts, rule: Rule) {
    this.#parts = parts;
    this.#rule = rule;
  }

  get isHeld(): boolean {
    return this.#isHeldAt(this.#parts.clock.steady());
  }

  maySend(rank: Rank): boolean {
    if (!this.#rule.held.includes(rank)) return true;
    const now = this.#parts.clock.steady();
    if (this.#mayGo(now)) return true;
    this.#isAwaited = true;
    this.#lookAgain(now);
    return false;
  }

  sent(rank: Rank): void {
    const now = this.#parts.clock.steady();
    if (this.#rule.by.includes(rank)) {
      if (!this.#isHeldAt(now)) this.#since = now;
      this.#before++;
    }
    if (!this.#rule.held.includes(rank)) return;
    this.#own++;
    this.#next = now + this.#distanceAt(now);
  }

  landed(rank: Rank): void {
    const now = this.#parts.clock.steady();
    // Who was turned away for it may be another than who sent it.
    if (this.#rule.held.includes(rank)) this.#own--;
    if (this.#rule.by.includes(rank)) {
      this.#before--;
      this.#until = now + this.#rule.restMs;
    }
    if (this.#isAwaited) this.#lookAgain(now);
  }

  #isHeldAt(now: number): boolean {
    return this.#before > 0 || now < this.#until;
  }

  #mayGo(now: number): boolean {
    return !this.#isHeldAt(now) || (this.#own === 0 && now >= this.#next);
  }

  /** When one may go, by the one or the other; until one lands that may not be known. */
  #lookAgain(now: number): void {
    const byTurn = this.#own === 0 ? this.#next : Infinity;
    const byRest = this.#before === 0 ? this.#until : Infinity;
    const at = Math.max(now, Math.min(byTurn, byRest));
    if (at >= this.#looksAt) return;
    this.#looksAt = at;
    this.#parts.deadlines.after(`precedence ${this.#rule.held.join(' ')}`, at - now, () => {
      this.#looksAt = Infinity;
      const then = this.#parts.clock.steady();
      if (!this.#mayGo(then)) return this.#lookAgain(then);
      this.#isAwaited = false;
      this.#parts.resumed();
    });
  }

  /** From one that is held to the next. */
  #distanceAt(now: number): number {
    const { yieldDistanceMs, yieldPatienceMs, yieldHalvingMs } = this.#parts.limits;
    const heldMs = this.#isHeldAt(now) ? now - this.#since : 0;
    const lateBy = Math.max(0, heldMs - yieldPatienceMs);
    return yieldDistanceMs * 0.5 ** (lateBy / yieldHalvingMs);
  }
}
