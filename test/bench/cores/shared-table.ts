// The permits of pods in memory that several threads share: what a table for all workers would do
// on the request path. A permit is taken by a compare-and-set against the limit, so that no two
// workers give the same one. Pods stay: what adding and removing them would take besides is not
// here, and only makes it slower.
import type { Random } from '#src/activator/table/random.ts';

/** A cell for each pod, far enough from the next that processors do not take them from each other
 *  for nothing. */
const stride = 16;

/** After so many draws that met a full pod, all are visited in order. */
const draws = 2;

export class SharedTable {
  readonly #inFlight: Int32Array;
  readonly #limit: number;
  readonly pods: number;

  static memory(pods: number): SharedArrayBuffer {
    return new SharedArrayBuffer(pods * stride * Int32Array.BYTES_PER_ELEMENT);
  }

  /** `limit`: requests that a pod takes at once; 0: any number. */
  constructor(memory: SharedArrayBuffer, limit: number) {
    this.#inFlight = new Int32Array(memory);
    this.#limit = limit === 0 ? 0x7fffffff : limit;
    this.pods = this.#inFlight.length / stride;
  }

  /** The index of a pod, or -1 where none has a permit. */
  take(random: Random): number {
    for (let draw = 0; draw < draws; draw++) {
      const pod = random.below(this.pods);
      if (this.#reserve(pod)) return pod;
    }
    const first = random.below(this.pods);
    for (let visit = 0; visit < this.pods; visit++) {
      const pod = (first + visit) % this.pods;
      if (this.#reserve(pod)) return pod;
    }
    return -1;
  }

  giveBack(pod: number): void {
    Atomics.sub(this.#inFlight, pod * stride, 1);
  }

  /** Requests on a pod. */
  of(pod: number): number {
    return Atomics.load(this.#inFlight, pod * stride);
  }

  #reserve(pod: number): boolean {
    const cell = pod * stride;
    for (;;) {
      const held = Atomics.load(this.#inFlight, cell);
      if (held >= this.#limit) return false;
      if (Atomics.compareExchange(this.#inFlight, cell, held, held + 1) === held) return true;
    }
  }
}
