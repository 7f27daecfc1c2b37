// A revision's table of pods: what the actor's intents mean for its slots. Each revision's
// Admission has one; types.ts says what each operation promises.
import type { Micros } from '#machines/activator/time.ts';
import { audit } from './audit.ts';
import { at, stateCode } from './columns.ts';
import { checkLimit, checkTarget, readOptions, slotsFor } from './options.ts';
import { recalculate } from './recalculate.ts';
import { repair } from './repair.ts';
import { Slots } from './slots.ts';
import type {
  PodSnapshot,
  PodTarget,
  PolicyName,
  PutOutcome,
  Recalculation,
  RemoveOutcome,
  TableChanges,
  TableFigures,
  TableOptions,
  TableView,
} from './types.ts';

export class PodTable implements TableChanges, TableView {
  readonly policy: PolicyName;
  /** Admission takes permits from them, and gives them back. */
  readonly slots: Slots;
  #version = Number.NEGATIVE_INFINITY;

  /** Throws a RangeError for options that are out of bounds. */
  constructor(options: TableOptions) {
    const read = readOptions(options);
    this.policy = read.policy;
    this.slots = new Slots(read);
  }

  get limit(): number {
    return this.slots.limit;
  }

  get version(): number {
    return this.#version;
  }

  genOf(index: number): number {
    return this.slots.columns.gen[index] ?? 0;
  }

  destOf(index: number): string {
    return this.slots.columns.dest[index] ?? '';
  }

  idOf(index: number): string {
    return this.slots.columns.id[index] ?? '';
  }

  put(pod: PodTarget, now: Micros): PutOutcome {
    checkTarget(pod);
    const slots = this.slots;
    const index = slots.indexByDest.get(pod.dest);
    if (index === undefined) return slots.allocate(pod, now) < 0 ? 'full' : 'added';
    if (slots.columns.id[index] !== pod.id) return 'occupied';
    const state = stateCode[pod.state];
    if (slots.columns.state[index] === state) return 'unchanged';
    slots.setState(index, state, now);
    return 'changed';
  }

  remove(dest: string, id: string | undefined, now: Micros): RemoveOutcome {
    const slots = this.slots;
    const index = slots.indexByDest.get(dest);
    if (index === undefined) return 'absent';
    if (id !== undefined && slots.columns.id[index] !== id) return 'other';
    const outcome = slots.leave(index, now);
    slots.trim();
    return outcome;
  }

  recalculate(pods: readonly PodTarget[], version: number, now: Micros): Recalculation | undefined {
    if (Number.isNaN(version)) throw new RangeError('version must be a number, not NaN');
    if (version < this.#version) return undefined;
    pods.forEach(checkTarget);
    this.#version = version;
    return recalculate(this.slots, pods, now);
  }

  setLimit(limit: number): void {
    if (checkLimit(limit) !== this.slots.limit) this.slots.setLimit(limit);
  }

  setMaxScale(maxScale: number): void {
    const { highWater, options } = this.slots;
    this.slots.planned = Math.max(highWater, slotsFor(maxScale, options.maxSlots));
  }

  removeStale(cutoff: Micros): number {
    const { state, since, inFlight } = this.slots.columns;
    const isStale = (index: number): boolean =>
      state[index] === stateCode['not-ready'] &&
      (since[index] ?? 0) < cutoff &&
      at(inFlight, index) === 0;
    return this.#releaseAll('stale', isStale);
  }

  releaseDrained(cutoff: Micros): number {
    const { state, since } = this.slots.columns;
    const isDue = (index: number): boolean =>
      state[index] === stateCode.draining && (since[index] ?? 0) <= cutoff;
    return this.#releaseAll('deadline', isDue);
  }

  /** Releases every pod. Their requests go on, detached. */
  close(): void {
    this.#releaseAll('closed', () => true);
  }

  repair(): readonly string[] {
    return repair(this.slots);
  }

  audit(): readonly string[] {
    return audit(this.slots);
  }

  get figures(): TableFigures {
    const { highWater, live, planned, routable, draining, capacity } = this.slots;
    const { detached, stale, forced, grown, full, trimVisits } = this.slots;
    const { inFlight, available } = this.slots.count();
    const active = inFlight + detached;
    const fragmentation = highWater === 0 ? 0 : (highWater - live) / highWater;
    const now = { slots: planned, highWater, live, routable, draining, available, capacity };
    return { ...now, active, detached, fragmentation, stale, forced, grown, full, trimVisits };
  }

  snapshot(): readonly PodSnapshot[] {
    const { columns, highWater } = this.slots;
    return Array.from({ length: highWater }, (_, index) => index)
      .filter((index) => columns.isLive(index))
      .map((index) => ({
        index,
        gen: at(columns.gen, index),
        dest: this.destOf(index),
        id: this.idOf(index),
        state: columns.stateOf(index),
        inFlight: at(columns.inFlight, index),
        limit: at(columns.limit, index),
        since: columns.sinceOf(index),
      }));
  }

  /** How many. In the order of the slots, which holds, as nothing moves. */
  #releaseAll(cause: 'stale' | 'deadline' | 'closed', isDue: (index: number) => boolean): number {
    const slots = this.slots;
    const { live } = slots;
    for (let index = 0; index < slots.highWater; index++) {
      if (slots.columns.isLive(index) && isDue(index)) slots.release(index, cause);
    }
    slots.trim();
    return live - slots.live;
  }
}
