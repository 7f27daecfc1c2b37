// The section of docs/sizing.md on growth, made of the stored results: what was measured, what it
// is held to, and what the model says beyond.
import { pageWith, table } from '#test/surface/page.ts';
import { extrapolated } from './extrapolate.ts';
import { judgeGrowth } from './judge.ts';
import type { Growth } from './measure.ts';
import { beyond, memoryLimitMb } from './settings.ts';
import { readGrowths, type StoredGrowth } from './store.ts';

export const sizingPath = 'docs/sizing.md';

export const sizingPage = (): string =>
  pageWith(sizingPath, 'test/bench/results/growth.jsonl', growthSection(readGrowths()));

const one = (value: number): string => String(Math.round(value * 10) / 10);
const two = (value: number): string => String(Math.round(value * 100) / 100);
const whole = (value: number): string => Math.round(value).toLocaleString('en');

/** Of the real control plane, where that was measured. */
export function growthSection(stored: readonly StoredGrowth[]): readonly string[] {
  const cluster = stored.some((row) => row.cluster === 'real') ? 'real' : 'embedded';
  const chosen = stored.filter((row) => row.cluster === cluster);
  const rows = chosen.map(({ result }) => result);
  const last = chosen.at(-1);
  if (last === undefined) return ['Not measured yet: `npm run bench -- growth`.'];
  const { machine, versions } = last;
  const where =
    cluster === 'real' ? `Kubernetes ${versions['Kubernetes'] ?? ''}` : 'the embedded cluster';
  const days = [...new Set(chosen.map(({ date }) => date))].join(', ');
  return [
    `On ${where}, ${days}, ${machine.cores} cores of ${machine.cpu} for everything together, without limits on requests.`,
    '',
    ...table(headings, rows.map(cellsOf)),
    '',
    ...table(
      ['bound', 'value', 'at most', ''],
      judgeGrowth(rows).map(({ what, value, bound, verdict }) => [what, value, bound, verdict]),
    ),
    '',
    ...beyondSection(rows),
  ];
}

const headings = [
  ...['pods', 'processes', 'deploy, s', 'CPU a pod, ms', 'CPU at rest, cores', 'memory, MB'],
  ...['writes a pod', 'read a pod, KB', 'CPU of the script, s', 'API server, CPU s', 'and MB'],
];

const cellsOf = (row: Growth): readonly string[] => [
  whole(row.pods),
  String(row.processes),
  one(row.deploy_s),
  two((1000 * row.cpu_s) / row.pods),
  two(row.cpu_rest),
  whole(row.rss_mb),
  two(row.writes / row.pods),
  one((1000 * row.read_mb) / row.pods),
  row.floor_cpu_s === undefined ? '' : one(row.floor_cpu_s),
  one(row.apiserver_cpu_s),
  whole(row.apiserver_rss_mb),
];

function beyondSection(rows: readonly Growth[]): readonly string[] {
  const said = extrapolated(rows);
  const { pods, processes } = beyond;
  const title = `### Extrapolation: ${whole(pods)} pods over ${processes} processes`;
  if (said === undefined) {
    return [title, '', 'Two sizes of one process and two of several are needed for it.'];
  }
  return [
    title,
    '',
    'Lines through the sizes above, drawn on to where nobody has measured. Processes share decisions and writes; each watches everything.',
    '',
    ...table(
      ['what', 'at that size', 'ends at'],
      [
        ['writes', whole(said.writes), ''],
        ['writes a second, as this API server takes them', whole(said.writesPerSecond), ''],
        ['time of a deploy of all at once, minutes', one(said.deployMinutes), ''],
        [
          'cores of each process meanwhile',
          two(said.coresEach),
          `${whole(said.writesByCore)} writes a second`,
        ],
        [
          `memory of each process, MB, of ${whole(memoryLimitMb)}`,
          whole(said.rssMb),
          `${whole(said.podsByMemory)} pods`,
        ],
        ['watches, MB a second to all processes', one(said.watchMbPerSecond), ''],
        ['memory of the API server, MB', whole(said.apiserverRssMb), ''],
      ],
    ),
    '',
    said.first,
  ];
}
