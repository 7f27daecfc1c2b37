// Goes on with what one turn of the event loop is too short for: a large queue is admitted in
// chunks, so that I/O is served in between. One per process, which shares a turn fairly between the
// revisions that have grants to make.
import { admissionDefaults } from './limits.ts';

export interface Waking {
  /** Answers up to `most` waiting requests, and asks for another turn if there are more. */
  wake(most: number): void;
}

export class Turns {
  readonly #defer: (run: () => void) => void;
  readonly #perTurn: number;
  /** In the order of their turns. */
  readonly #waking = new Set<Waking>();
  #isDeferred = false;

  /** `defer` runs a function in a later turn, after I/O, as `setImmediate` does. */
  constructor(defer: (run: () => void) => void, perTurn: number = admissionDefaults.grantsPerTurn) {
    if (!Number.isSafeInteger(perTurn) || perTurn < 1) {
      throw new RangeError(`grantsPerTurn must be a whole number from 1, not ${perTurn}`);
    }
    this.#defer = defer;
    this.#perTurn = perTurn;
  }

  get perTurn(): number {
    return this.#perTurn;
  }

  has(waking: Waking): boolean {
    return this.#waking.has(waking);
  }

  /** In the next turn; once, however often it is asked for. */
  later(waking: Waking): void {
    this.#waking.add(waking);
    this.#ensureTurn();
  }

  #ensureTurn(): void {
    if (this.#isDeferred) return;
    this.#isDeferred = true;
    this.#defer(() => this.#run());
  }

  /** Who comes again in this turn waits for the next one. */
  #run(): void {
    this.#isDeferred = false;
    const share = Math.max(1, Math.floor(this.#perTurn / this.#waking.size));
    const due = [...this.#waking].slice(0, this.#perTurn);
    try {
      for (const waking of due) {
        this.#waking.delete(waking);
        waking.wake(share);
      }
    } finally {
      if (this.#waking.size > 0) this.#ensureTurn();
    }
  }
}
