// Named absolute deadlines over one timer of the clock port. Each shard has one for the deadlines
// and restarts of its actors, the effect runner one for pauses. Clock jumps do no harm: an absolute
// time that is due after a jump forward fires once, late; spans last as long as they were to last.
import type { EpochMs } from '#machines/kubernetes/time.ts';
import type { Clock } from '../ports.ts';

interface Entry {
  readonly name: string;
  at: EpochMs;
  readonly run: () => void;
  /** A span is a pause of our own; an absolute time was promised to somebody. */
  readonly isSpan: boolean;
  live: boolean;
}

/** Two clocks that are read one after the other may differ by this. */
const unevenMs = 10;

export class Deadlines {
  readonly #clock: Clock;
  readonly #byName = new Map<string, Entry>();
  #heap: Entry[] = [];
  #cancel: (() => void) | undefined;
  #armedFor = Number.POSITIVE_INFINITY;
  /** The time of day less the steady clock; without that one the latest time of day. */
  #base: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#base = clock.now() - (clock.steady?.() ?? 0);
  }

  get size(): number {
    return this.#byName.size;
  }

  /** Runs once at or after `at`; a later call with the same name replaces. */
  set(name: string, at: EpochMs, run: () => void): void {
    this.#add({ name, at, run, isSpan: false, live: true });
  }

  /** Runs once after `ms`, whatever the clock does meanwhile. Returns the time that is aimed at. */
  after(name: string, ms: number, run: () => void): EpochMs {
    const at = this.#now() + ms;
    this.#add({ name, at, run, isSpan: true, live: true });
    return at;
  }

  clear(name: string): void {
    const entry = this.#byName.get(name);
    if (entry === undefined) return;
    entry.live = false;
    this.#byName.delete(name);
    if (this.#byName.size === 0) return this.stop();
    if (this.#heap.length > 64 && this.#heap.length > 2 * this.#byName.size) this.#compact();
  }

  /** Forgets everything; nothing fires afterwards. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#armedFor = Number.POSITIVE_INFINITY;
    this.#heap = [];
    this.#byName.clear();
  }

  #add(entry: Entry): void {
    const replaced = this.#byName.get(entry.name);
    if (replaced !== undefined) replaced.live = false;
    this.#byName.set(entry.name, entry);
    push(this.#heap, entry);
    this.#arm();
  }

  #arm(): void {
    while (this.#heap[0]?.live === false) pop(this.#heap);
    const next = this.#heap[0];
    if (next === undefined || next.at >= this.#armedFor) return;
    this.#cancel?.();
    this.#armedFor = next.at;
    this.#cancel = this.#clock.at(next.at, () => this.#fire());
  }

  #fire(): void {
    this.#cancel = undefined;
    this.#armedFor = Number.POSITIVE_INFINITY;
    const now = this.#now();
    for (let next = this.#heap[0]; next !== undefined; next = this.#heap[0]) {
      if (next.live && next.at > now) break;
      pop(this.#heap);
      if (!next.live) continue;
      this.#byName.delete(next.name);
      next.run();
    }
    this.#arm();
  }

  /** The time, having moved the spans along when it jumped. */
  #now(): EpochMs {
    const now = this.#clock.now();
    const jump = this.#jumped(now);
    if (jump !== 0) {
      for (const entry of this.#byName.values()) if (entry.isSpan) entry.at += jump;
      this.#compact();
      this.#armedFor = Number.POSITIVE_INFINITY;
    }
    return now;
  }

  /** By how much, since this was last asked. Without that clock jumps forward do not show. */
  #jumped(now: EpochMs): number {
    const steady = this.#clock.steady?.();
    const jump = now - (steady ?? 0) - this.#base;
    if (steady === undefined) {
      this.#base = now;
      return Math.min(0, jump);
    }
    if (Math.abs(jump) < unevenMs) return 0;
    this.#base += jump;
    return jump;
  }

  #compact(): void {
    this.#heap = [...this.#byName.values()].toSorted((a, b) => a.at - b.at);
  }
}

function push(heap: Entry[], entry: Entry): void {
  let child = heap.push(entry) - 1;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || above.at <= entry.at) break;
    heap[child] = above;
    child = parent;
  }
  heap[child] = entry;
}

function pop(heap: Entry[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let parent = 0;
  for (;;) {
    const left = 2 * parent + 1;
    const a = heap[left];
    const b = heap[left + 1];
    if (a === undefined) break;
    const [child, least] = b !== undefined && b.at < a.at ? [left + 1, b] : [left, a];
    if (last.at <= least.at) break;
    heap[parent] = least;
    parent = child;
  }
  heap[parent] = last;
}
