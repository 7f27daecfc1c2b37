// What the figures of growth are held to, one row for each bound: how CPU, memory and writes grow
// with pods, what the floor's script takes, and whether a line through the smaller sizes predicts
// the largest. Pure.
import type { Growth } from './measure.ts';
import { at, errorOf, fitted } from './model.ts';
import { bounds } from './settings.ts';

export interface Verdict {
  readonly what: string;
  readonly value: string;
  readonly bound: string;
  readonly verdict: 'met' | 'missed' | 'not measured';
}

/** What the model is about, by the key of a row. */
const modelled = {
  cpu_s: 'CPU of a deploy',
  rss_mb: 'memory of a process',
  writes: 'writes of a deploy',
} as const satisfies Partial<Record<keyof Growth, string>>;
type Modelled = keyof typeof modelled;

export const oneProcess = (rows: readonly Growth[]): readonly Growth[] =>
  rows.filter(({ processes }) => processes === 1).toSorted((a, b) => a.pods - b.pods);

/** The line of a figure through these rows. */
export const lineOf = (rows: readonly Growth[], key: Modelled | 'apiserver_rss_mb' | 'read_mb') =>
  fitted(rows.map((row) => ({ pods: row.pods, value: row[key] })));

export function judgeGrowth(rows: readonly Growth[]): readonly Verdict[] {
  const alone = oneProcess(rows);
  const of = (pods: number) => alone.find((row) => row.pods === pods);
  return [
    ...cpuGrowth(of(1000), of(5000)),
    ...alone.map(memory),
    floors(of(1000)),
    ...predictions(alone),
  ];
}

const two = (value: number): string => String(Math.round(value * 100) / 100);

const judged = (what: string, value: number, bound: number): Verdict => ({
  what,
  value: two(value),
  bound: two(bound),
  verdict: value <= bound ? 'met' : 'missed',
});

const unmeasured = (what: string, bound: number): Verdict => ({
  what,
  value: '',
  bound: two(bound),
  verdict: 'not measured',
});

function cpuGrowth(small: Growth | undefined, large: Growth | undefined): readonly Verdict[] {
  const what = 'CPU a pod at 5,000, of that at 1,000';
  if (small === undefined || large === undefined) return [unmeasured(what, bounds.cpuGrowth)];
  const each = ({ cpu_s, pods }: Growth): number => cpu_s / pods;
  return [judged(what, each(large) / each(small), bounds.cpuGrowth)];
}

const memory = ({ pods, rss_mb }: Growth): Verdict =>
  judged(
    `memory at ${pods.toLocaleString('en')} pods, MB`,
    rss_mb,
    bounds.rssBaseMb + (bounds.rssPodKb * pods) / 1000,
  );

function floors(row: Growth | undefined): Verdict {
  const what = 'CPU of a deploy of 1,000 pods with the start, in floors';
  if (row?.floor_cpu_s === undefined) return unmeasured(what, bounds.floors);
  return judged(what, (row.cpu_s + row.cpu_start_s) / row.floor_cpu_s, bounds.floors);
}

/** Of the largest size, by the smaller ones. */
function predictions(alone: readonly Growth[]): readonly Verdict[] {
  const smaller = alone.slice(0, -1);
  const largest = alone.at(-1);
  return (Object.keys(modelled) as Modelled[]).map((key) => {
    const what = `error of the model: ${modelled[key]}`;
    if (largest === undefined || smaller.length < 3) return unmeasured(what, bounds.modelError);
    const predicted = at(lineOf(smaller, key), largest.pods);
    return judged(
      `${what} at ${largest.pods.toLocaleString('en')} pods`,
      errorOf(predicted, largest[key]),
      bounds.modelError,
    );
  });
}
