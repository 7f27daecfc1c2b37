// Averages of the requests at once of one revision over the last seconds, from its reports. Used by
// autoscaler.ts.

/** A ring of seconds; the average over the last `n` of them is a sum over `n` numbers. */
export class Averages {
  readonly #seconds: Float64Array;
  /** Seconds since there were reports; a window that is not full yet counts what it has. */
  #filled = 0;
  #next = 0;

  constructor(seconds: number) {
    this.#seconds = new Float64Array(seconds);
  }

  add(concurrency: number): void {
    this.#seconds[this.#next] = concurrency;
    this.#next = (this.#next + 1) % this.#seconds.length;
    this.#filled = Math.min(this.#filled + 1, this.#seconds.length);
  }

  over(seconds: number): number {
    const count = Math.min(Math.max(1, seconds), this.#filled);
    if (count === 0) return 0;
    const size = this.#seconds.length;
    let sum = 0;
    for (let back = 1; back <= count; back++) {
      sum += this.#seconds[(this.#next - back + size) % size] ?? 0;
    }
    return sum / count;
  }
}
