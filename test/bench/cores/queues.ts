// How long requests wait where workers have a slice of the pods each, beside one table for all: a
// simulation on a virtual clock, so that its figures are the same on any machine. Requests arrive
// at random (a Poisson process), take an exponential time and are served in order in each group.
import { sliceOf } from '#machines/activator/slices.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { percentile } from '../statistics.ts';

export interface Queue {
  readonly pods: number;
  readonly limit: number;
  readonly workers: number;
  /** Of all permits, by the mean. */
  readonly load: number;
  /** Kept-alive connections that requests come by, each of which belongs to one worker; 0: each
   *  request goes to any worker. */
  readonly connections: number;
}

export interface Waits {
  /** Of the time that a request takes. */
  readonly mean: number;
  readonly p99: number;
  /** Most requests that one pod had to take at once, of its limit: more than 1 where workers
   *  outnumber pods. */
  readonly promised: number;
}

/** By a slice each, or by one table for all. */
export function simulate(queue: Queue, by: 'slice' | 'shared', requests: number): Waits {
  const { pods, limit, workers, load } = queue;
  const random = seeded(1);
  const groups = groupsOf(queue, by);
  const worker = chooser(queue, random.next);
  const gap = 1 / (pods * limit * load);
  const waits: number[] = [];
  let now = 0;
  for (let request = 0; request < requests; request++) {
    now -= Math.log(1 - random.next()) * gap;
    const group = groups[by === 'shared' ? 0 : worker()];
    if (group === undefined) throw new Error(`there are ${workers} workers`);
    const start = Math.max(now, group.earliest);
    group.replaceEarliest(start - Math.log(1 - random.next()));
    waits.push(start - now);
  }
  const permits = groups.reduce((sum, { size }) => sum + size, 0);
  return {
    mean: waits.reduce((sum, wait) => sum + wait, 0) / requests,
    p99: percentile(waits, 99),
    promised: permits / (pods * limit),
  };
}

function groupsOf({ pods, limit, workers }: Queue, by: 'slice' | 'shared'): readonly Permits[] {
  if (by === 'shared') return [new Permits(pods * limit)];
  const dests = Array.from({ length: pods }, (_, index) => `10.0.0.${index}:8012`);
  return Array.from({ length: workers }, (_, place) => {
    const slice = sliceOf(dests, { limit, activators: workers, place });
    return new Permits(slice.length * limit);
  });
}

/** To which worker the next request comes. */
function chooser({ workers, connections }: Queue, next: () => number): () => number {
  const any = (count: number): number => Math.floor(next() * count);
  if (connections === 0) return () => any(workers);
  const owners = Array.from({ length: connections }, () => any(workers));
  return () => owners[any(connections)] ?? 0;
}

/** When each permit is free again; the earliest first (a binary heap). */
class Permits {
  readonly #free: Float64Array;

  constructor(count: number) {
    this.#free = new Float64Array(count);
  }

  get size(): number {
    return this.#free.length;
  }

  get earliest(): number {
    return this.#free[0] ?? 0;
  }

  replaceEarliest(time: number): void {
    const free = this.#free;
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      const right = left + 1;
      const child = at(free, right) < at(free, left) ? right : left;
      if (at(free, child) >= time) break;
      free[place] = at(free, child);
      place = child;
    }
    free[place] = time;
  }
}

/** Behind the end is never. */
const at = (free: Float64Array, place: number): number => free[place] ?? Infinity;
