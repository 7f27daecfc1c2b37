// `npm run bench -- activator-cores`: how several workers of an activator could share the pods of a
// revision: by a slice each (spec activator 2.1.5), or by one table in memory that they share. Two
// tables on stderr, all figures as one JSON line on stdout. It has no gates: what follows from it
// is in docs/decisions/0043-workers-ask-the-process.md.
import { median } from '../statistics.ts';
import { aligned } from '../table.ts';
import { type Queue, simulate } from './queues.ts';
import type { CoresCommand } from './settings.ts';
import { measurePermits, measureWakes, permitCells } from './threads.ts';

type Say = (line: string) => void;

const queues: readonly Queue[] = [
  { pods: 10, limit: 1, workers: 2, load: 0.8, connections: 0 },
  { pods: 10, limit: 1, workers: 4, load: 0.6, connections: 0 },
  { pods: 10, limit: 1, workers: 4, load: 0.8, connections: 0 },
  { pods: 3, limit: 1, workers: 2, load: 0.6, connections: 0 },
  { pods: 2, limit: 1, workers: 4, load: 0.6, connections: 0 },
  { pods: 10, limit: 10, workers: 4, load: 0.8, connections: 0 },
  { pods: 100, limit: 10, workers: 4, load: 0.8, connections: 0 },
  { pods: 100, limit: 10, workers: 4, load: 0.8, connections: 64 },
  { pods: 100, limit: 10, workers: 4, load: 0.8, connections: 1024 },
];

/** The exit code. */
export async function activatorCores(command: CoresCommand, say: Say): Promise<number> {
  const permits = await timedPermits(command, say);
  const wakes = await measureWakes();
  const waits = queues.map((queue) => ({
    queue,
    slice: simulate(queue, 'slice', command.requests),
    shared: simulate(queue, 'shared', command.requests),
  }));
  say(
    aligned([
      ['a permit, taken and given back', 'ns', 'least', 'most'],
      ...permits.map(({ name, ns, least, most }) => [
        name,
        ...[ns, least, most].map((value) => value.toFixed(1)),
      ]),
    ]),
  );
  say(
    aligned([
      ['a wake in another thread and back', 'p50 us', 'p99 us'],
      ...Object.entries(wakes).map(([by, { p50_us, p99_us }]) => [
        by,
        p50_us.toFixed(1),
        p99_us.toFixed(1),
      ]),
    ]),
  );
  say(
    aligned([
      ['waits, in times of a request', 'slice: mean', 'p99', 'promised', 'shared: mean', 'p99'],
      ...waits.map(({ queue, slice, shared }) => [
        textOf(queue),
        ...[slice.mean, slice.p99, slice.promised, shared.mean, shared.p99].map((value) =>
          value.toFixed(2),
        ),
      ]),
    ]),
  );
  process.stdout.write(`${JSON.stringify({ ...command, permits, wakes, waits })}\n`);
  return 0;
}

async function timedPermits({ runs, ms }: CoresCommand, say: Say) {
  const ns = new Map<string, number[]>();
  for (let run = 0; run < runs; run++) {
    say(`run ${run + 1} of ${runs}: ${permitCells.length} cells`);
    for (const cell of permitCells) {
      ns.set(cell.name, [...(ns.get(cell.name) ?? []), await measurePermits(cell, ms)]);
    }
  }
  return [...ns].map(([name, all]) => ({
    name,
    ns: median(all),
    least: Math.min(...all),
    most: Math.max(...all),
  }));
}

const textOf = ({ pods, limit, workers, load, connections }: Queue): string =>
  [
    `${pods} pods, cc ${limit}, ${workers} workers, ${load * 100} % load`,
    ...(connections === 0 ? [] : [`by ${connections} connections`]),
  ].join(', ');
