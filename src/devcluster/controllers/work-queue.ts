// Keys to work on, each by one worker at a time, a bounded number at once, failures again after a
// growing pause. A key that is added while it is worked on is worked on once more. Every loop of
// the simulated controllers stands on it.
import type { Clock } from '#actors/ports.ts';
import { backoff } from '#machines/contract/backoff.ts';

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** Keys that are worked on at once. */
  readonly parallel: number;
  /** A rejection has the key tried again after a pause. */
  readonly work: (key: string) => Promise<void>;
  readonly failed?: (key: string, error: unknown) => void;
  readonly firstRetryMs?: number;
  readonly longestRetryMs?: number;
}

export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #waiting = new Set<string>();
  readonly #running = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #delayed = new Map<string, () => void>();
  #scheduled = false;
  #stopped = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** True when nothing waits, runs or is to be tried again. */
  get idle(): boolean {
    return this.#waiting.size === 0 && this.#running.size === 0 && this.#delayed.size === 0;
  }

  add(key: string): void {
    if (this.#stopped) return;
    this.#delayed.get(key)?.();
    this.#delayed.delete(key);
    this.#waiting.add(key);
    this.#schedule();
  }

  /** Adds the key later, unless it is added before. */
  addAfter(key: string, ms: number): void {
    if (this.#stopped || this.#waiting.has(key)) return;
    if (ms <= 0) return this.add(key);
    const { clock } = this.#options;
    this.#delayed.get(key)?.();
    this.#delayed.set(
      key,
      clock.at(clock.now() + ms, () => this.add(key)),
    );
  }

  stop(): void {
    this.#stopped = true;
    this.#waiting.clear();
    for (const cancel of this.#delayed.values()) cancel();
    this.#delayed.clear();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#options.clock.soon(() => {
      this.#scheduled = false;
      this.#drain();
    });
  }

  #drain(): void {
    for (const key of this.#waiting) {
      if (this.#running.size >= this.#options.parallel) return;
      if (this.#running.has(key)) continue;
      this.#waiting.delete(key);
      this.#running.add(key);
      void this.#run(key);
    }
  }

  async #run(key: string): Promise<void> {
    try {
      await this.#options.work(key);
      this.#failures.delete(key);
    } catch (error) {
      this.#again(key, error);
    } finally {
      this.#running.delete(key);
      if (this.#waiting.size > 0) this.#schedule();
    }
  }

  #again(key: string, error: unknown): void {
    if (this.#stopped) return;
    const { firstRetryMs = 50, longestRetryMs = 10_000, failed } = this.#options;
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    failed?.(key, error);
    this.addAfter(key, backoff(failures + 1, firstRetryMs, longestRetryMs));
  }
}
