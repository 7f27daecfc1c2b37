// One cell of `npm run bench -- activator-micro`, in a process of its own, so that what other cells
// have taught the compiler changes nothing: `node --expose-gc cell.ts NAME MILLISECONDS` prints one
// JSON line. run.ts starts it.
import { GCProfiler } from 'node:v8';
import { Random } from '#src/activator/table/random.ts';
import { median } from '../statistics.ts';
import type { Body } from './body.ts';
import { cells } from './cells/all.ts';
import type { Measured } from './figures.ts';

const warmUpOperations = 1_000_000;
const batches = 9;
const bytesOperations = 1_000_000;
const referenceCount = 200_000;

/** What every figure is compared to: a number of the generator that policies draw from, and an
 *  entry of a typed array that changes. */
function referenceLoop(count: number): number {
  for (let round = 0; round < count; round++) {
    const place = random.next() & 127;
    column[place] = (column[place] ?? 0) + 1;
  }
  return count;
}
const random = new Random(1);
const column = new Int32Array(128);

/** So that nothing is left out as unused. */
let checksum = 0;

function nsOf(run: (count: number) => number, count: number): number {
  const begun = performance.now();
  checksum ^= run(count);
  return ((performance.now() - begun) * 1e6) / count;
}

/** Until it is compiled, and long enough that small loops have settled. */
function warmUp(run: (count: number) => number, count: number, ms: number): void {
  const end = performance.now() + ms;
  for (let done = 0; done < warmUpOperations && performance.now() < end; done += count) {
    checksum ^= run(count);
  }
}

function bytesOf({ run, count }: Body, ms: number): number | undefined {
  const profiler = new GCProfiler();
  globalThis.gc?.();
  profiler.start();
  const before = process.memoryUsage().heapUsed;
  const end = performance.now() + ms;
  let done = 0;
  for (; done < bytesOperations && performance.now() < end; done += count) checksum ^= run(count);
  const bytes = process.memoryUsage().heapUsed - before;
  const collections = profiler.stop().statistics.length;
  return collections === 0 ? Math.max(0, bytes) / done : undefined;
}

function measure(body: Body, ms: number): Measured {
  const { run, empty, count } = body;
  warmUp(referenceLoop, referenceCount, ms);
  warmUp(empty, count, ms);
  warmUp(run, count, ms);
  const ns: number[] = [];
  const reference: number[] = [];
  const end = performance.now() + ms;
  for (let batch = 0; batch < batches || performance.now() < end; batch++) {
    reference.push(nsOf(referenceLoop, referenceCount));
    const loop = nsOf(empty, count);
    ns.push(nsOf(run, count) - loop);
  }
  const bytes = bytesOf(body, ms);
  return {
    ns: Math.max(0, median(ns)),
    reference_ns: median(reference),
    ...(bytes === undefined ? {} : { bytes }),
    ...body.figures?.(),
  };
}

const [name, ms] = process.argv.slice(2);
const cell = cells.find((one) => one.name === name);
if (cell === undefined) throw new Error(`there is no cell "${name}"`);
process.stdout.write(`${JSON.stringify(measure(cell.make(), Number(ms)))}\n`);
if (checksum === 0.5) throw new Error('integers have no fraction');
