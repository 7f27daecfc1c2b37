// The work queue of NVIDIA's daemon: one worker, every item delayed by a back-off of 5 ms doubling
// to 6 s with a quarter of jitter, the first run too. A failed item is tried again unless a newer
// one came with its key.
import type { Random } from '#actors/ports.ts';

export const backoffMs = (failures: number, random: Random): number =>
  Math.min(5 * 2 ** Math.min(failures, 20), 6000) * (0.75 + random.next() / 2);

interface Item {
  readonly key: string;
  readonly work: () => Promise<void>;
  failures: number;
}

export type Delay = (ms: number, run: () => void) => void;

const delayed: Delay = (ms, run) => void setTimeout(run, ms);

export class WorkQueue {
  readonly #random: Random;
  readonly #delay: Delay;
  readonly #newest = new Map<string, Item>();
  #worker: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(random: Random, delay: Delay = delayed) {
    this.#random = random;
    this.#delay = delay;
  }

  add(key: string, work: () => Promise<void>): void {
    const item: Item = { key, work, failures: 0 };
    this.#newest.set(key, item);
    this.#schedule(item);
  }

  close(): void {
    this.#isClosed = true;
  }

  #schedule(item: Item): void {
    this.#delay(backoffMs(item.failures, this.#random), () => {
      this.#worker = this.#worker.then(() => this.#run(item));
    });
  }

  async #run(item: Item): Promise<void> {
    if (this.#isClosed) return;
    try {
      await item.work();
    } catch {
      if (this.#newest.get(item.key) !== item) return;
      item.failures++;
      this.#schedule(item);
    }
  }
}
