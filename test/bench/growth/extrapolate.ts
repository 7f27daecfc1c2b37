// What the model says beyond what was measured, and what ends first. It is extrapolation: the lines
// may bend where nobody has looked. Pure.
import { lineOf, oneProcess } from './judge.ts';
import type { Growth } from './measure.ts';
import { at, type Line } from './model.ts';
import { beyond, memoryLimitMb } from './settings.ts';

export interface Extrapolation {
  readonly pods: number;
  readonly processes: number;
  /** Of the API server, as measured at the largest size. */
  readonly writesPerSecond: number;
  readonly writes: number;
  readonly deployMinutes: number;
  /** Of each process, while the API server writes as fast as it can. */
  readonly coresEach: number;
  readonly rssMb: number;
  /** What the API server sends to all watches a second. */
  readonly watchMbPerSecond: number;
  readonly apiserverRssMb: number;
  /** Pods at which a process has all memory that the chart gives it. */
  readonly podsByMemory: number;
  /** Writes a second at which a process has a core's worth of work. */
  readonly writesByCore: number;
  readonly first: string;
}

/** Undefined without two sizes of one process, and two of several. */
export function extrapolated(
  rows: readonly Growth[],
  { pods, processes }: { readonly pods: number; readonly processes: number } = beyond,
): Extrapolation | undefined {
  const alone = oneProcess(rows);
  const together = rows.filter((row) => row.processes > 1);
  if (alone.length < 2 || together.length < 2) return undefined;
  const count = together[0]?.processes ?? 1;
  const largest = alone.at(-1);
  if (largest === undefined) return undefined;
  const perPod = work(lineOf(alone, 'cpu_s'), lineOf(together, 'cpu_s'), count);
  const writes = at(lineOf(alone, 'writes'), pods);
  const writesPerSecond = largest.writes / largest.deploy_s;
  const writesPerPod = writes / pods;
  const podsPerSecond = writesPerSecond / writesPerPod;
  const cpuPerPod = perPod.shared / processes + perPod.each;
  const rss = lineOf(together, 'rss_mb');
  const podsByMemory = (memoryLimitMb - rss.base) / rss.slope;
  const read = lineOf(together, 'read_mb').slope / count;
  return {
    pods,
    processes,
    writesPerSecond,
    writes,
    deployMinutes: writes / writesPerSecond / 60,
    coresEach: cpuPerPod * podsPerSecond,
    rssMb: at(rss, pods),
    watchMbPerSecond: read * processes * podsPerSecond,
    apiserverRssMb: at(lineOf(alone, 'apiserver_rss_mb'), pods),
    podsByMemory,
    writesByCore: writesPerPod / cpuPerPod,
    first: first(podsByMemory, pods, writes / writesPerSecond / 60),
  };
}

/** CPU seconds for a pod: those that processes share, and those that each has for itself, as each
 *  watches everything. One process has both; several have the first once. */
function work(alone: Line, together: Line, count: number) {
  const each = Math.max(0, (together.slope - alone.slope) / (count - 1));
  return { each, shared: Math.max(0, alone.slope - each) };
}

const whole = (value: number): string => Math.round(value).toLocaleString('en');

function first(podsByMemory: number, pods: number, minutes: number): string {
  const wait = `Writes of the API server are what a deploy waits for, ${whole(minutes)} minutes.`;
  return podsByMemory < pods
    ? `The memory of a process ends first, at ${whole(podsByMemory)} pods. ${wait}`
    : `No limit of a process is reached. ${wait}`;
}
