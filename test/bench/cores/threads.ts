// What threads cost each other: permits out of a table of their own and out of a shared one, and
// the wake of a request that waits in another thread.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { median, percentile } from '../statistics.ts';
import { SharedTable } from './shared-table.ts';
import type { Job, PermitFigures } from './worker.ts';

const program = new URL('./worker.ts', import.meta.url);
const start = (job: Job): Worker => new Worker(program, { workerData: job });

export interface PermitCell {
  readonly name: string;
  readonly isShared: boolean;
  readonly threads: number;
  readonly pods: number;
  readonly limit: number;
}

export const permitCells: readonly PermitCell[] = [10, 100].flatMap((pods) =>
  [0, 10].flatMap((limit) =>
    [false, true].flatMap((isShared) =>
      [1, 2].map((threads) => ({
        name: `${isShared ? 'shared' : 'own'}, ${pods} pods, cc ${limit}, threads ${threads}`,
        ...{ isShared, threads, pods, limit },
      })),
    ),
  ),
);

/** Nanoseconds to take a permit and to give it back, the mean of all threads. */
export async function measurePermits(
  { isShared, threads, pods, limit }: PermitCell,
  ms: number,
): Promise<number> {
  const memory = isShared ? SharedTable.memory(pods) : undefined;
  const said = Array.from({ length: threads }, async (_, thread) => {
    const worker = start({ job: 'permits', memory, pods, limit, ms, seed: thread + 1 });
    const [figures] = (await once(worker, 'message')) as [PermitFigures];
    await worker.terminate();
    return figures.ns;
  });
  const all = await Promise.all(said);
  return all.reduce((sum, ns) => sum + ns, 0) / threads;
}

const usualWakes = 2000;

export interface WakeFigures {
  readonly p50_us: number;
  readonly p99_us: number;
}

/** There and back between the event loops of two threads: by a cell that both wait on, and by a
 *  message. A waiting request is woken in half of it. */
export async function measureWakes(
  wakes = usualWakes,
): Promise<Readonly<Record<'atomics' | 'message', WakeFigures>>> {
  const memory = new SharedArrayBuffer(8);
  const cells = new Int32Array(memory);
  const worker = start({ job: 'echo', cells: memory });
  await once(worker, 'message');
  const atomics = await timeEach(wakes, async (count) => {
    Atomics.store(cells, 0, count);
    Atomics.notify(cells, 0);
    const waited = Atomics.waitAsync(cells, 1, count - 1);
    if (waited.async) await waited.value;
  });
  const message = await timeEach(wakes, async (count) => {
    worker.postMessage(count);
    await once(worker, 'message');
  });
  await worker.terminate();
  return { atomics, message };
}

async function timeEach(
  wakes: number,
  act: (count: number) => Promise<void>,
): Promise<WakeFigures> {
  const times: number[] = [];
  for (let count = 1; count <= wakes; count++) {
    const begun = performance.now();
    await act(count);
    times.push((performance.now() - begun) * 1000);
  }
  return { p50_us: median(times), p99_us: percentile(times, 99) };
}
