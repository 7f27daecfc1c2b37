// Long work in pieces: between two of them the event loop is free for others. Used where a request
// walks over everything that a process has, or hands in much at once.

/** The clock, and a pause in which whatever waits gets its turn. */
export interface Turns {
  /** Milliseconds that never go back. */
  readonly now: () => number;
  readonly turn: () => Promise<void>;
}

export const realTurns: Turns = {
  now: () => performance.now(),
  turn: () =>
    new Promise((resolve) => {
      setImmediate(resolve);
    }),
};

/** Of one piece, in milliseconds. */
export const sliceMs = 5;

/** Asking the clock costs as much as a small step, so that it is asked once in some. */
const usualStepsPerLook = 64;

export class Slices {
  readonly #turns: Turns;
  readonly #stepsPerLook: number;
  #until: number;
  #steps = 0;

  constructor(turns: Turns, stepsPerLook = usualStepsPerLook) {
    this.#turns = turns;
    this.#stepsPerLook = stepsPerLook;
    this.#until = turns.now() + sliceMs;
  }

  /** To be asked at each step. True: `pause` is due. */
  get isOver(): boolean {
    this.#steps++;
    return this.#steps % this.#stepsPerLook === 0 && this.#turns.now() >= this.#until;
  }

  async pause(): Promise<void> {
    await this.#turns.turn();
    this.#until = this.#turns.now() + sliceMs;
  }
}
