// A thread of `npm run bench -- activator-cores`: takes permits and gives them back for a while, or
// answers wakes. threads.ts starts it, and hears one message with its figures.
import { parentPort, workerData } from 'node:worker_threads';
import { PodTable } from '#src/activator/table/table.ts';
import { none } from '#src/activator/table/columns.ts';
import { microsOf } from '#machines/activator/time.ts';
import { Random } from '#src/activator/table/random.ts';
import { SharedTable } from './shared-table.ts';

export type Job =
  | {
      readonly job: 'permits';
      /** Undefined: a table of its own. */
      readonly memory: SharedArrayBuffer | undefined;
      readonly pods: number;
      readonly limit: number;
      readonly ms: number;
      readonly seed: number;
    }
  | { readonly job: 'echo'; readonly cells: SharedArrayBuffer };

export interface PermitFigures {
  readonly ns: number;
  /** Takes that found no permit, of all. */
  readonly refused: number;
}

/** Permits that a thread holds at once: those of requests under way. */
const held = 8;
const batch = 1000;

interface Permits {
  take(): number;
  giveBack(pod: number): void;
}

function ownTable(pods: number, limit: number, seed: number): Permits {
  const table = new PodTable({ limit, maxScale: pods, policy: 'random-choice-2', seed });
  const targets = Array.from({ length: pods }, (_, index) => {
    return { dest: `10.0.0.${index}:8012`, id: `p${index}`, state: 'ready' as const };
  });
  table.recalculate(targets, 1, microsOf(0));
  const { slots } = table;
  return {
    take: () => {
      const index = slots.take();
      return index === none ? -1 : index;
    },
    giveBack: (index) => slots.giveBack(index, table.genOf(index)),
  };
}

function sharedTable(memory: SharedArrayBuffer, limit: number, seed: number): Permits {
  const table = new SharedTable(memory, limit);
  const random = new Random(seed);
  return { take: () => table.take(random), giveBack: (pod) => table.giveBack(pod) };
}

function timePermits(permits: Permits, ms: number): PermitFigures {
  const ring = new Int32Array(held).fill(-1);
  let refused = 0;
  const turn = (count: number): void => {
    for (let round = 0; round < count; round++) {
      const place = round % held;
      const before = ring[place] ?? -1;
      if (before >= 0) permits.giveBack(before);
      const pod = permits.take();
      if (pod < 0) refused += 1;
      ring[place] = pod;
    }
  };
  for (const end = performance.now() + ms / 4; performance.now() < end;) turn(batch);
  refused = 0;
  let rounds = 0;
  const begun = performance.now();
  for (const end = begun + ms; performance.now() < end; rounds += batch) turn(batch);
  const ns = ((performance.now() - begun) * 1e6) / rounds;
  return { ns, refused: refused / rounds };
}

/** Sets the second cell to what the first became, as soon as it hears of it. */
async function echo(cells: Int32Array): Promise<void> {
  for (let seen = 0; ;) {
    const waited = Atomics.waitAsync(cells, 0, seen);
    if (waited.async) await waited.value;
    seen = Atomics.load(cells, 0);
    Atomics.store(cells, 1, seen);
    Atomics.notify(cells, 1);
    if (seen < 0) return;
  }
}

const given = workerData as Job;
if (given.job === 'echo') {
  parentPort?.on('message', (count: number) => parentPort?.postMessage(count));
  parentPort?.postMessage('ready');
  await echo(new Int32Array(given.cells));
  parentPort?.close();
} else {
  const { memory, pods, limit, ms, seed } = given;
  const permits =
    memory === undefined ? ownTable(pods, limit, seed) : sharedTable(memory, limit, seed);
  parentPort?.postMessage(timePermits(permits, ms));
}
