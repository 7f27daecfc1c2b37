// What processes have used so far: CPU time and peak memory by pid, from /proc, and the difference
// between two such readings. Where there is no /proc nothing is known and the keys are left out.
import { readFile } from 'node:fs/promises';

export interface Usage {
  readonly pid: number;
  /** User and system time. */
  readonly cpuSeconds: number;
  /** Highest resident set since its start, in MiB. */
  readonly peakRssMb: number;
}

/** By the name of the process. */
export type Usages = Readonly<Record<string, Usage>>;

/** Linux counts CPU time in ticks of 1/100 s, whatever the kernel's own rate (proc(5), USER_HZ). */
const ticksPerSecond = 100;

/** Processes that have ended, or cannot be looked at, are left out. */
export async function usagesOf(pids: ReadonlyMap<string, number>): Promise<Usages> {
  const rows = await Promise.all([...pids].map(async ([name, pid]) => [name, await usageOf(pid)]));
  return Object.fromEntries(rows.filter(([, usage]) => usage !== undefined));
}

export async function usageOf(pid: number): Promise<Usage | undefined> {
  try {
    const [stat, status] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile(`/proc/${pid}/status`, 'utf8'),
    ]);
    return readUsage(stat, status);
  } catch {
    return undefined;
  }
}

/** From the texts of proc(5); undefined for a process that is a zombie: it has no memory left. */
export function readUsage(stat: string, status: string): Usage | undefined {
  // The name of the program is in parentheses and may hold both spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  const kib = status.match(/^VmHWM:\s+(\d+) kB/m)?.[1];
  if (kib === undefined || Number.isNaN(user + system)) return undefined;
  return {
    pid: Number.parseInt(stat, 10),
    cpuSeconds: (user + system) / ticksPerSecond,
    peakRssMb: Math.round(Number(kib) / 1024),
  };
}

/** CPU time since the earlier reading (from the start where there was none, or of another process
 *  with the name); the peak is the later one's. Processes that are gone meanwhile are left out. */
export function between(earlier: Usages, later: Usages): Usages {
  return Object.fromEntries(
    Object.entries(later).map(([name, usage]) => {
      const before = earlier[name]?.pid === usage.pid ? earlier[name].cpuSeconds : 0;
      return [name, { ...usage, cpuSeconds: usage.cpuSeconds - before }];
    }),
  );
}

/** `apiserver_cpu_s` and `apiserver_rss_mb` for each. */
export const usageKeys = (usages: Usages): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(usages).flatMap(([name, { cpuSeconds, peakRssMb }]) => [
      [`${name}_cpu_s`, Math.round(cpuSeconds * 100) / 100],
      [`${name}_rss_mb`, peakRssMb],
    ]),
  );
