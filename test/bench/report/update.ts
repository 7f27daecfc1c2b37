// The section of docs/benchmarks.md on rolling updates: figures beside those of the floor, the
// requests of both, and the list of what the floor writes.
import { table } from '#test/surface/page.ts';
import { updateWrites } from '../floor-writes.ts';
import type { RequestCounts } from '../requests.ts';
import type { Summary } from '../statistics.ts';
import { cell, notMeasured, numberOf, plain, rowsTable, summaryOf } from './figures.ts';
import { updateAims } from './reference.ts';
import type { Stored } from './results.ts';

type Lines = readonly string[];

const rows: Readonly<Record<string, string>> = {
  update_s: 'all replicas updated, s',
  writes: 'writes',
  events: 'Events',
  conflicts: 'conflicts',
  pods_created: 'pods created',
  controller_cpu_s: 'controller, CPU s',
  apiserver_cpu_s: 'kube-apiserver, CPU s',
};

export function updateSection(stored: Stored): Lines {
  const summaries = [summaryOf(stored.update), summaryOf(stored['update-large'])].filter(
    (summary) => summary !== undefined,
  );
  return [
    ...introduction,
    '',
    ...(summaries.length === 0
      ? notMeasured('update', 'update-large')
      : [...figures(summaries), '', ...requests(summaries)]),
    '',
    ...aboutWrites,
    '',
    ...table(
      ['write', 'for each', 'what it says', 'spec'],
      updateWrites.map(({ write, each, says, spec }) => [write, each, says, spec]),
    ),
  ];
}

const introduction = [
  'The image of the clique changes when all is ready and nothing is written any more. The time runs from that change; the strategy is',
  'RollingRecreate. Floor and Coppice are measured in pairs in random order, without limits.',
];

const aboutWrites = [
  'The floor knows the cluster by what it has written itself and one watch of pods. It goes from replica to replica and from pod to pod, and writes',
  'each choice before it acts on it, as the specification of the controllers asks. Its writes, in this order:',
];

const size = (summary: Summary): string => plain(numberOf(summary, 'replicas') ?? 0);

function figures(summaries: readonly Summary[]): Lines {
  const headings = summaries.flatMap((summary) => [
    `floor, ${size(summary)}`,
    `Coppice, ${size(summary)}`,
    'in floors',
  ]);
  const lines = Object.entries(rows).map(([key, title]) => ({
    title,
    cells: [
      updateAims[key] ?? '',
      ...summaries.flatMap((summary) => [
        cell(summary, key === 'controller_cpu_s' ? 'floor_client_cpu_s' : `floor_${key}`),
        cell(summary, key),
        cell(summary, key.replace(/_s$/, '').concat('_ratio')),
      ]),
    ],
  }));
  return rowsTable(['', 'aim', ...headings], lines);
}

function requests(summaries: readonly Summary[]): Lines {
  const counts = summaries.flatMap((summary) => [
    countsOf(summary, 'floor_requests'),
    countsOf(summary, 'requests'),
  ]);
  const keys = [...new Set(counts.flatMap((one) => Object.keys(one)))].toSorted();
  const headings = summaries.flatMap((summary) => [
    `floor, ${size(summary)}`,
    `Coppice, ${size(summary)}`,
  ]);
  return table(
    ['verb, resource, code', ...headings],
    keys.map((key) => [key, ...counts.map((one) => (key in one ? plain(one[key] ?? 0) : ''))]),
  );
}

function countsOf({ median }: Summary, key: string): RequestCounts {
  const counts = median[key];
  return typeof counts === 'object' ? counts : {};
}
