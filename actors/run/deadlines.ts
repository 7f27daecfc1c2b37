// Named pauses over one timer of the clock port. Each shard has one of these for the deadlines and
// restarts of its actors, the effect runner one for pauses. They are held on the steady clock: a
// pause lasts as long as it was to last, whatever the time of day does meanwhile.
import type { EpochMs } from '#machines/kubernetes/time.ts';
import type { Clock } from '../ports.ts';

interface Entry {
  readonly name: string;
  /** On the steady clock. */
  readonly at: number;
  readonly run: () => void;
  live: boolean;
}

export class Deadlines {
  readonly #clock: Clock;
  readonly #byName = new Map<string, Entry>();
  #heap: Entry[] = [];
  #cancel: (() => void) | undefined;
  #armedFor = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#byName.size;
  }

  /** Runs once after `ms`; a later call with the same name replaces. Returns the time of day that
   *  is aimed at. */
  after(name: string, ms: number, run: () => void): EpochMs {
    const replaced = this.#byName.get(name);
    if (replaced !== undefined) replaced.live = false;
    const entry = { name, at: this.#clock.steady() + ms, run, live: true };
    this.#byName.set(name, entry);
    push(this.#heap, entry);
    this.#arm();
    return this.#clock.now() + ms;
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
    this.#armedFor = Number.POSITIVE_INFINITY;
    this.#heap = [];
    this.#byName.clear();
  }

  #arm(): void {
    while (this.#heap[0]?.live === false) pop(this.#heap);
    const next = this.#heap[0];
    if (next === undefined || next.at >= this.#armedFor) return;
    this.#cancel?.();
    this.#armedFor = next.at;
    const leftMs = Math.ceil(next.at - this.#clock.steady());
    this.#cancel = this.#clock.at(this.#clock.now() + leftMs, () => this.#fire());
  }

  #fire(): void {
    this.#armedFor = Number.POSITIVE_INFINITY;
    const now = this.#clock.steady();
    for (let next = this.#heap[0]; next !== undefined; next = this.#heap[0]) {
      if (next.live && next.at > now) break;
      pop(this.#heap);
      if (!next.live) continue;
      this.#byName.delete(next.name);
      next.run();
    }
    this.#arm();
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
