// A day of chaos from its begin to the verdict, with what its processes took of memory. Called by
// main.ts and by the test on the real control plane.
import { defaultConfiguration } from '#src/config/decode.ts';
import { Tally } from '#test/sim/oracles/tally.ts';
import { Day, type DayOptions } from './day.ts';
import { judge, type Verdict } from './judge/judge.ts';
import { maxNodes } from './stage/domains.ts';
import type { Memory } from './stage/replica.ts';

interface Growth {
  readonly old: Memory;
  readonly young: Memory;
}

export interface Report {
  readonly seed: number;
  /** Empty: the day passed. Those of the oracles come first. */
  readonly violations: readonly string[];
  /** What happened around the first violation of an oracle. */
  readonly around: readonly string[];
  readonly ran: readonly string[];
  readonly tally: Tally;
  /** Absent where the day had no end. */
  readonly memory: Growth | undefined;
  readonly played: Verdict['played'];
}

/** What a process that has lived through a day may take more than one that has just begun. */
const most = { heap: 1.35, heapBytes: 8e6, rss: 1.6, rssBytes: 60e6 };

export async function runDay(options: DayOptions): Promise<Report> {
  const day = await Day.begin(options);
  let memory: Growth | undefined;
  try {
    await day.pass();
    await day.finish();
    await day.keepEvidence();
    const old = await day.replicas.second.memory();
    await day.renewReplicas();
    memory = { old, young: await day.replicas.second.memory() };
  } finally {
    await day.end();
  }
  return reportOf(day, memory);
}

/** The same without an end: what the oracles say of the day alone. */
export async function runBriefly(options: DayOptions): Promise<Report> {
  const day = await Day.begin(options);
  try {
    await day.pass();
  } finally {
    await day.end();
  }
  return reportOf(day, undefined);
}

async function reportOf(day: Day, memory: Growth | undefined): Promise<Report> {
  const { violations, ...verdict } = await judgeAll(day, memory !== undefined);
  const { ran, options } = day;
  const all = [...violations, ...day.complaints, ...(memory === undefined ? [] : growth(memory))];
  return { ...verdict, seed: options.seed, violations: all, ran, memory };
}

async function judgeAll(day: Day, hasEnded: boolean): Promise<Verdict> {
  const graceMs = defaultConfiguration.agentSandbox.warmPool.readinessGraceSeconds * 1_000;
  const tally = new Tally();
  const violations: string[] = [];
  const around: string[] = [];
  const played = { changes: 0, lines: 0, writes: 0 };
  for (const [index, history] of day.histories.entries()) {
    // What was there when a history began cannot be counted.
    const isWhole = day.histories.length === 1;
    const verdict = await judge(history.recording({ graceMs, maxNodes }), hasEnded && isWhole);
    const when = index === 0 ? '' : ' after the restore';
    violations.push(...verdict.violations.map((one) => one + when));
    if (around.length === 0) around.push(...verdict.around);
    tally.add(verdict.tally.counts);
    played.changes += verdict.played.changes;
    played.lines += verdict.played.lines;
    played.writes += verdict.played.writes;
  }
  return { violations, around, tally, played };
}

function growth({ old, young }: Growth): readonly string[] {
  const told = `${tell(old)} at its end, a new process ${tell(young)}`;
  const isHeapFlat = old.heapUsed <= young.heapUsed * most.heap + most.heapBytes;
  const isFlat = isHeapFlat && old.rss <= young.rss * most.rss + most.rssBytes;
  return isFlat ? [] : [`memory grew: the second replica has ${told}`];
}

export const tell = ({ rss, heapUsed }: Memory): string =>
  `${(heapUsed / 1e6).toFixed(1)} MB of heap and ${(rss / 1e6).toFixed(0)} MB resident`;
