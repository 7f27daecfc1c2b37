// Time for tests: nothing happens until the test says so. Timers fire in order of (time, age), work
// queued by `soon` runs in order, and promises are drained in between, so one seed gives one run.
import type { Clock, Random } from '#actors/ports.ts';

interface Timer {
  readonly at: number;
  readonly age: number;
  readonly run: () => void;
  live: boolean;
}

export class VirtualClock implements Clock {
  #now: number;
  #jumpedMs = 0;
  #age = 0;
  #soon: (() => void)[] = [];
  /** Binary heap by (at, age). */
  readonly #timers: Timer[] = [];

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  steady(): number {
    return this.#now - this.#jumpedMs;
  }

  at(at: number, run: () => void): () => void {
    const timer: Timer = { at, age: this.#age++, run, live: true };
    push(this.#timers, timer);
    return () => {
      timer.live = false;
    };
  }

  soon(run: () => void): void {
    this.#soon.push(run);
  }

  /** Timers that are still to fire. */
  get pending(): number {
    return this.#timers.reduce((sum, timer) => sum + (timer.live ? 1 : 0), 0);
  }

  /** Runs what is due now, with everything that follows from it, without moving the time. */
  async drain(): Promise<void> {
    for (let idle = 0; idle < 2;) {
      const batch = this.#soon;
      this.#soon = [];
      for (const run of batch) run();
      const fired = this.#fireDue();
      idle = batch.length === 0 && !fired ? idle + 1 : 0;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  /** Moves the time forward by `ms`, stopping at every timer on the way. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.drain();
    for (let next = this.#next(); next !== undefined && next <= end; next = this.#next()) {
      this.#now = Math.max(this.#now, next);
      await this.drain();
    }
    this.#now = end;
  }

  /** Advances until the claim holds; false when `limitMs` of virtual time went by before. */
  async until(claim: () => boolean, limitMs: number): Promise<boolean> {
    const end = this.#now + limitMs;
    await this.drain();
    while (!claim()) {
      const next = this.#next();
      if (next === undefined || next > end) return false;
      this.#now = Math.max(this.#now, next);
      await this.drain();
    }
    return true;
  }

  /** A clock jump: what is due by then fires at once, late. Negative: time goes back. */
  jump(ms: number): void {
    this.#now += ms;
    this.#jumpedMs += ms;
  }

  /** Time passes within what runs now. */
  spend(ms: number): void {
    this.#now += ms;
  }

  #next(): number | undefined {
    while (this.#timers[0]?.live === false) pop(this.#timers);
    return this.#timers[0]?.at;
  }

  #fireDue(): boolean {
    let fired = false;
    for (let next = this.#next(); next !== undefined && next <= this.#now; next = this.#next()) {
      pop(this.#timers)?.run();
      fired = true;
    }
    return fired;
  }
}

const before = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.age < b.age);

function push(heap: Timer[], timer: Timer): void {
  let child = heap.push(timer) - 1;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || before(above, timer)) break;
    heap[child] = above;
    child = parent;
  }
  heap[child] = timer;
}

function pop(heap: Timer[]): Timer | undefined {
  const top = heap[0];
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return top;
  let parent = 0;
  for (;;) {
    const left = 2 * parent + 1;
    const a = heap[left];
    const b = heap[left + 1];
    if (a === undefined) break;
    const [child, least] = b !== undefined && before(b, a) ? [left + 1, b] : [left, a];
    if (!before(least, last)) break;
    heap[parent] = least;
    parent = child;
  }
  heap[parent] = last;
  return top;
}

/** A small, good generator (sfc32) from a 32-bit seed. */
export function seeded(seed: number): Random {
  let a = seed | 0;
  let b = 0x9e3779b9;
  let c = 0x243f6a88;
  let d = 1;
  const next = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return (t >>> 0) / 4294967296;
  };
  for (let warm = 0; warm < 12; warm++) next();
  return { next };
}
