// The slots of a table: which are taken, which pods are routable, which have permits to give. Every
// column and every counter is changed here, so here the invariants hold (audit.ts lists them); what
// an intent means for a pod is in table.ts.
import type { Micros } from '#machines/activator/time.ts';
import { Bitmap } from './bitmap.ts';
import { at, Columns, isRoutable, none, stateCode } from './columns.ts';
import { initialLength, maxCapacity, type ReadOptions, slotsFor } from './options.ts';
import { policyOf } from './policies/choose.ts';
import type { Policy } from './policies/policy.ts';
import type { PodTarget, ReleaseCause } from './types.ts';

export class Slots {
  readonly options: ReadOptions;
  readonly columns = new Columns();
  readonly policy: Policy;
  /** Those below the high-water mark. */
  readonly holes = new Bitmap();
  readonly indexByDest = new Map<string, number>();
  limit: number;
  /** Slots that are planned for: columns grow up to there, the plan itself only where it must. */
  planned: number;
  /** 1 + index of the last slot that is taken; all later ones are holes. */
  highWater = 0;
  live = 0;
  routable = 0;
  draining = 0;
  /** Requests whose pod was released by force, and which go on. */
  detached = 0;
  stale = 0;
  forced = 0;
  grown = 0;
  full = 0;
  /** So many snapshots were taken; of the columns, `mark` has the number of one. */
  recalculations = 0;
  /** Slots that trims have looked at. */
  trimVisits = 0;

  constructor(options: ReadOptions) {
    this.options = options;
    this.limit = options.limit;
    this.planned = slotsFor(options.maxScale, options.maxSlots);
    this.policy = policyOf(options.policy, options.seed, this.columns);
  }

  get capacity(): number {
    if (this.routable === 0) return 0;
    return this.limit === 0 ? maxCapacity : Math.min(maxCapacity, this.limit * this.routable);
  }

  /** Requests on all pods, and routable pods with a permit to give. Counted when asked for: nothing
   *  for the request path to keep. */
  count(): { readonly inFlight: number; readonly available: number } {
    let inFlight = 0;
    let available = 0;
    for (let index = 0; index < this.highWater; index++) {
      inFlight += at(this.columns.inFlight, index);
      available += Number(at(this.columns.free, index) > 0);
    }
    return { inFlight, available };
  }

  /** Takes a permit of the pod that the policy chooses; `none` where no pod has one. */
  take(): number {
    const { policy } = this;
    const index = policy.pick();
    if (index < 0) return index;
    const { inFlight, free } = this.columns;
    const held = (inFlight[index] ?? 0) + 1;
    const left = (free[index] ?? 0) - 1;
    inFlight[index] = held;
    free[index] = left;
    if (left > 0) policy.move(index, held);
    else policy.leave(index);
    return index;
  }

  /** Returns a permit. The last one of a draining pod releases it. Throws where none is held. */
  giveBack(index: number, gen: number): void {
    const { columns } = this;
    const { inFlight, free } = columns;
    const held = (inFlight[index] ?? 0) - 1;
    if (columns.gen[index] !== gen || held < 0) return this.#endDetached(index, gen);
    const left = (free[index] ?? 0) + 1;
    inFlight[index] = held;
    free[index] = left;
    if (left > 1) this.policy.move(index, held);
    else if (left === 1) this.policy.enter(index);
    else this.#endDraining(index, held);
  }

  /** Into the lowest hole, else after the last slot; `none` where the table is full. */
  allocate({ dest, id, state }: PodTarget, now: Micros): number {
    const hole = this.holes.first();
    if (hole < 0 && !this.#hasRoom()) {
      this.full += 1;
      return none;
    }
    const index = hole < 0 ? this.highWater : hole;
    if (hole < 0) this.highWater += 1;
    else this.holes.remove(hole);
    const { columns } = this;
    columns.dest[index] = dest;
    columns.id[index] = id;
    columns.limit[index] = this.limit;
    columns.gen[index] = at(columns.gen, index) + 1;
    this.indexByDest.set(dest, index);
    this.live += 1;
    this.setState(index, stateCode[state], now);
    return index;
  }

  /** Leaves a hole. Requests that the pod still has are detached: they end without it. Whoever
   *  releases trims when all is done. */
  release(index: number, cause: ReleaseCause): void {
    const { columns } = this;
    const { [index]: dest = '' } = columns.dest;
    const { [index]: id = '' } = columns.id;
    const detached = at(columns.inFlight, index);
    this.setState(index, stateCode.hole, 0);
    columns.clear(index);
    columns.gen[index] = at(columns.gen, index) + 1;
    this.indexByDest.delete(dest);
    this.live -= 1;
    this.holes.add(index);
    this.detached += detached;
    if (cause === 'deadline' || cause === 'repaired') this.forced += 1;
    this.options.onReleased?.({ dest, id, cause, detached });
  }

  /** Releases a pod, or has it drain until its last request ends. */
  leave(index: number, now: Micros): 'released' | 'draining' {
    if (at(this.columns.inFlight, index) === 0) {
      this.release(index, 'removed');
      return 'released';
    }
    if (this.columns.state[index] !== stateCode.draining) {
      this.setState(index, stateCode.draining, now);
    }
    return 'draining';
  }

  /** Lowers the high-water mark over trailing holes, where more than the threshold of all slots
   *  below it is empty. Holes between pods stay: no pod ever changes its slot. */
  trim(): void {
    const { highWater, live } = this;
    if (highWater === 0 || (highWater - live) / highWater <= this.options.trimThreshold) return;
    let end = highWater;
    while (end > 0 && !this.columns.isLive(end - 1)) {
      end -= 1;
      this.holes.remove(end);
    }
    this.highWater = end;
    this.trimVisits += highWater - end + (end > 0 ? 1 : 0);
  }

  setState(index: number, state: number, now: number): void {
    const { columns } = this;
    const before = columns.state[index] ?? stateCode.hole;
    columns.state[index] = state;
    columns.since[index] = now;
    this.routable += Number(isRoutable(state)) - Number(isRoutable(before));
    this.draining += Number(state === stateCode.draining) - Number(before === stateCode.draining);
    this.#updateFree(index);
  }

  setLimit(limit: number): void {
    this.limit = limit;
    for (let index = 0; index < this.highWater; index++) {
      if (!this.columns.isLive(index)) continue;
      this.columns.limit[index] = limit;
      this.#updateFree(index);
    }
  }

  /** What follows from state, limit and requests of a slot. */
  #updateFree(index: number): void {
    const { free } = this.columns;
    const was = at(free, index) > 0;
    const now = this.columns.freeOf(index);
    free[index] = now;
    if (was === now > 0) return;
    if (was) this.policy.leave(index);
    else this.policy.enter(index);
  }

  /** The pod gets no new requests; one that was to go with its last request goes. */
  #endDraining(index: number, held: number): void {
    if (held > 0 || this.columns.state[index] !== stateCode.draining) return;
    this.release(index, 'drained');
    this.trim();
  }

  /** A request has ended whose pod is gone. The pod that has the slot now has nothing to do with
   *  it. */
  #endDetached(index: number, gen: number): void {
    if (this.columns.gen[index] === gen) {
      throw new Error(`slot ${index} has no request that could be completed`);
    }
    this.stale += 1;
    if (this.detached > 0) this.detached -= 1;
  }

  /** For one more slot at the high-water mark. Beyond the plan, which is doubled for it, there is
   *  room up to `maxSlots`. */
  #hasRoom(): boolean {
    const { maxSlots } = this.options;
    if (this.highWater === maxSlots) return false;
    if (this.highWater >= this.planned) {
      this.planned = Math.min(2 * this.planned, maxSlots);
      this.grown += 1;
    }
    const { length } = this.columns;
    if (this.highWater < length) return true;
    const longer = Math.min(Math.max(2 * length, initialLength), this.planned);
    this.columns.grow(longer);
    this.holes.resize(longer);
    this.policy.resize(longer);
    return true;
  }
}
