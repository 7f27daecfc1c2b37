// Measures how long the steps of a controller hold the event loop, in CPU time of this thread, so
// that a busy machine does not count: everything that its clock runs, what watches bring included.
// Collections of garbage are taken out: most of the heap is the cluster's, which runs here too.
import { PerformanceObserver } from 'node:perf_hooks';
import { threadCpuUsage } from 'node:process';
import type { Clock } from '#actors/ports.ts';

export interface Step {
  readonly what: string;
  readonly ms: number;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Shorter ones are only counted. */
const notableMs = 15;

export class StepMeter {
  steps = 0;
  #notable: (Step & Span)[] = [];
  readonly #collections: Span[] = [];
  readonly #observer = new PerformanceObserver((list) => this.#take(list.getEntries()));

  constructor() {
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  measure<T>(what: string, run: () => T): T {
    const before = threadCpuUsage();
    const from = performance.now();
    try {
      return run();
    } finally {
      const { user, system } = threadCpuUsage(before);
      const ms = (user + system) / 1000;
      this.steps++;
      if (ms > notableMs) this.#notable.push({ what, ms, from, to: performance.now() });
    }
  }

  /** The longest step since the last call. */
  longest(): Step {
    this.#take(this.#observer.takeRecords());
    let longest: Step = { what: 'step', ms: 0 };
    for (const step of this.#notable) {
      const ms = step.ms - this.#collecting(step);
      if (ms > longest.ms) longest = { what: step.what, ms };
    }
    this.#notable = [];
    return longest;
  }

  clock(inner: Clock): Clock {
    return {
      now: () => inner.now(),
      steady: () => inner.steady(),
      at: (at, run) => inner.at(at, () => this.measure('timer', run)),
      soon: (run) => inner.soon(() => this.measure('slice', run)),
    };
  }

  stop(): void {
    this.#observer.disconnect();
  }

  #take(entries: readonly { readonly startTime: number; readonly duration: number }[]): void {
    for (const { startTime, duration } of entries) {
      this.#collections.push({ from: startTime, to: startTime + duration });
    }
  }

  #collecting({ from, to }: Span): number {
    let ms = 0;
    for (const each of this.#collections) {
      ms += Math.max(0, Math.min(to, each.to) - Math.max(from, each.from));
    }
    return ms;
  }
}
