// The design that the table replaces, as the benchmark's measure: trackers in a map by address, the
// sorted list of them made anew with each pod, and for each request a list of those that are ready
// and a closure that gives the permit back.
import type { Random } from '#src/activator/table/random.ts';

export interface Tracker {
  readonly dest: string;
  readonly limit: number;
  isReady: boolean;
  inFlight: number;
}

export class MapSliceFilter {
  #trackers = new Map<string, Tracker>();
  #assigned: readonly Tracker[] = [];
  readonly #random: Random;
  capacity = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  add(dest: string): void {
    this.#trackers.set(dest, { dest, limit: 10, isReady: true, inFlight: 0 });
    this.#assign();
  }

  remove(dest: string): void {
    this.#trackers.delete(dest);
    this.#assign();
  }

  /** A map and a list anew, in which the trackers that are there already stay. */
  recalculate(dests: readonly string[]): void {
    const trackers = new Map<string, Tracker>();
    for (const dest of dests) {
      const there = this.#trackers.get(dest);
      trackers.set(dest, there ?? { dest, limit: 10, isReady: true, inFlight: 0 });
    }
    this.#trackers = trackers;
    this.#assign();
  }

  /** One of two at random, of those that are ready: they are copied to a list first. */
  acquire(): (() => void) | undefined {
    return this.#choose(this.#assigned.filter(({ isReady }) => isReady));
  }

  /** From the request to the pod: before that, those that have a permit are filtered. */
  route(): (() => void) | undefined {
    const free = this.#assigned.filter(({ inFlight, limit }) => inFlight < limit);
    return this.#choose(free.filter(({ isReady }) => isReady));
  }

  #assign(): void {
    this.#assigned = [...this.#trackers.values()].toSorted((a, b) =>
      a.dest < b.dest ? -1 : Number(a.dest > b.dest),
    );
    this.capacity = this.#assigned.reduce((sum, { limit }) => sum + limit, 0);
  }

  #choose(trackers: readonly Tracker[]): (() => void) | undefined {
    const first = this.#random.below(trackers.length);
    const drawn = this.#random.below(trackers.length - 1);
    const one = trackers[first];
    const other = trackers[drawn < first ? drawn : drawn + 1];
    if (one === undefined || other === undefined) return undefined;
    const chosen = other.inFlight < one.inFlight ? other : one;
    chosen.inFlight += 1;
    return () => {
      chosen.inFlight -= 1;
    };
  }
}
