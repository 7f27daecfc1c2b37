// The columns of a table of pods: an entry of each for every slot. Hot ones are typed arrays of
// 32-bit integers, so that taking and returning a permit allocates nothing. Kept by slots.ts; the
// policies read them.
import type { Micros } from '#machines/activator/time.ts';
import type { PodState } from './types.ts';

/** As the column has them. The order matters: from `ready` on pods are routable. */
export const stateCode = {
  hole: 0,
  'not-ready': 1,
  draining: 2,
  ready: 3,
  recovering: 4,
} as const satisfies Record<PodState | 'hole', number>;

const stateNames = ['not-ready', 'draining', 'ready', 'recovering'] as const;

/** They get new requests. */
export const isRoutable = (state: number): boolean => state >= stateCode.ready;

/** More requests than a pod ever has: the permits of one without a limit. */
export const unlimited = 2 ** 29;

/** What `free` is lower by where a pod gets no new requests: below 0 whatever its limit. */
const notRoutable = -(2 ** 30);

/** In place of an index. */
export const none = -1;

/** An entry. The column is as long as the table, and no index is outside of that. The request path
 *  reads `column[index] ?? 0` itself: V8 compiles only so much code into one caller. */
export const at = (column: Int32Array, index: number): number => column[index] ?? 0;

export class Columns {
  /** Slots that are allocated. */
  length = 0;
  /** Empty: a hole. */
  dest: string[] = [];
  id: string[] = [];
  state = new Uint8Array(0);
  /** Requests that a pod takes at once; 0: any number, or a hole. */
  limit = new Int32Array(0);
  inFlight = new Int32Array(0);
  /** Limit minus in flight, for pods that get requests; else far below 0. What the request path
   *  compares, instead of state, limit and in flight. Always `freeOf`. */
  free = new Int32Array(0);
  /** Goes up when the slot is taken and when it is released, so it is odd while there is a pod. */
  gen = new Int32Array(0);
  /** Microseconds: of the last change of the state. */
  since = new Float64Array(0);
  /** The last recalculation that wanted the pod. */
  mark = new Int32Array(0);

  /** More slots, all holes. */
  grow(length: number): void {
    const longer = (column: Int32Array): Int32Array<ArrayBuffer> => {
      const copy = new Int32Array(length).fill(0);
      copy.set(column);
      return copy;
    };
    const state = new Uint8Array(length);
    state.set(this.state);
    const since = new Float64Array(length);
    since.set(this.since);
    this.state = state;
    this.since = since;
    this.limit = longer(this.limit);
    this.inFlight = longer(this.inFlight);
    this.gen = longer(this.gen);
    this.mark = longer(this.mark);
    this.free = longer(this.free).fill(notRoutable, this.length);
    for (let index = this.length; index < length; index++) {
      this.dest.push('');
      this.id.push('');
    }
    this.length = length;
  }

  isLive(index: number): boolean {
    return (at(this.gen, index) & 1) === 1;
  }

  /** Of a pod. */
  stateOf(index: number): PodState {
    return stateNames[(this.state[index] ?? 0) - 1] ?? 'not-ready';
  }

  sinceOf(index: number): Micros {
    // Nothing else is ever written to the column.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return (this.since[index] ?? 0) as Micros;
  }

  /** What `free` has to be. */
  freeOf(index: number): number {
    const state = this.state[index] ?? 0;
    if (state === stateCode.hole) return notRoutable;
    const limit = at(this.limit, index);
    const permits = limit === 0 ? unlimited : Math.min(limit, unlimited);
    return permits - at(this.inFlight, index) + (isRoutable(state) ? 0 : notRoutable);
  }

  /** Leaves a hole; `gen` is not its business. */
  clear(index: number): void {
    this.dest[index] = '';
    this.id[index] = '';
    this.state[index] = stateCode.hole;
    this.limit[index] = 0;
    this.inFlight[index] = 0;
    this.free[index] = notRoutable;
    this.since[index] = 0;
  }
}
