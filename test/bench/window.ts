// A bound on requests in flight that lets the lowest rank go first, so that replica 0 is finished
// before replica 100 is begun.

interface Waiting {
  readonly rank: number;
  readonly start: () => void;
}

export class Window {
  readonly #size: number;
  readonly #waiting: Waiting[] = [];
  #inFlight = 0;

  constructor(size: number) {
    this.#size = size;
  }

  async run<T>(rank: number, act: () => Promise<T>): Promise<T> {
    if (this.#inFlight >= this.#size)
      await new Promise<void>((start) => this.#wait({ rank, start }));
    else this.#inFlight++;
    try {
      return await act();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#inFlight--;
      else next.start();
    }
  }

  /** Sorted by rank; those of one rank keep their order. */
  #wait(waiting: Waiting): void {
    let low = 0;
    let high = this.#waiting.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#waiting[middle]?.rank ?? 0) <= waiting.rank) low = middle + 1;
      else high = middle;
    }
    this.#waiting.splice(low, 0, waiting);
  }
}
