// A table without holes, as the benchmark's measure: whoever recalculates it moves the pods that
// stay to the front, all columns of them, and says to the index where each of them is now.
import type { PodTarget } from '#src/activator/table/types.ts';

export class Dense {
  #dest: string[] = [];
  #id: string[] = [];
  #state = new Uint8Array(0);
  #limit = new Int32Array(0);
  #inFlight = new Int32Array(0);
  #gen = new Int32Array(0);
  #since = new Float64Array(0);
  #mark = new Int32Array(0);
  readonly #index = new Map<string, number>();
  #recalculations = 0;
  length = 0;

  constructor(slots: number) {
    this.#dest = Array<string>(slots).fill('');
    this.#id = Array<string>(slots).fill('');
    this.#state = new Uint8Array(slots);
    this.#limit = new Int32Array(slots);
    this.#inFlight = new Int32Array(slots);
    this.#gen = new Int32Array(slots);
    this.#since = new Float64Array(slots);
    this.#mark = new Int32Array(slots);
  }

  recalculate(pods: readonly PodTarget[]): void {
    this.#recalculations += 1;
    for (const { dest } of pods) {
      const index = this.#index.get(dest);
      if (index !== undefined) this.#mark[index] = this.#recalculations;
    }
    let kept = 0;
    for (let index = 0; index < this.length; index++) {
      if (this.#mark[index] === this.#recalculations) {
        this.#move(index, kept);
        kept += 1;
      } else {
        this.#index.delete(this.#dest[index] ?? '');
      }
    }
    this.#clear(kept, this.length);
    this.length = kept;
    for (const pod of pods) if (!this.#index.has(pod.dest)) this.#append(pod);
  }

  #move(from: number, to: number): void {
    if (from === to) return;
    const dest = this.#dest[from] ?? '';
    this.#dest[to] = dest;
    this.#id[to] = this.#id[from] ?? '';
    this.#state[to] = this.#state[from] ?? 0;
    this.#limit[to] = this.#limit[from] ?? 0;
    this.#inFlight[to] = this.#inFlight[from] ?? 0;
    this.#gen[to] = this.#gen[from] ?? 0;
    this.#since[to] = this.#since[from] ?? 0;
    this.#mark[to] = this.#mark[from] ?? 0;
    this.#index.set(dest, to);
  }

  #clear(from: number, to: number): void {
    this.#dest.fill('', from, to);
    this.#id.fill('', from, to);
    for (const column of [this.#state, this.#limit, this.#inFlight, this.#mark]) {
      column.fill(0, from, to);
    }
  }

  #append({ dest, id }: PodTarget): void {
    this.#dest[this.length] = dest;
    this.#id[this.length] = id;
    this.#state[this.length] = 3;
    this.#limit[this.length] = 10;
    this.#gen[this.length] = (this.#gen[this.length] ?? 0) + 1;
    this.#index.set(dest, this.length);
    this.length += 1;
  }
}
