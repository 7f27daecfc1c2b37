// The section of docs/benchmarks.md on the queue of a warm pool: what its operations cost with few
// members and with many, and what the rival costs. page.ts puts it in its place.
import { acts, limit } from '../pick.ts';
import { cell, notMeasured, numberOf, plain, rowsTable, summaryOf } from './figures.ts';
import type { Stored } from './results.ts';

const titles: Readonly<Record<(typeof acts)[number], string>> = {
  pick: 'pick',
  take: 'pick and remove',
  push: 'push',
  move: 'move to a node',
  remove: 'remove',
  listing: '*pick by listing all Sandboxes*',
  map: '*find and replace in a Map*',
};

export function pickSection({ pick }: Stored): readonly string[] {
  if (pick.length === 0) return [...method, '', ...notMeasured('pick')];
  const runs = pick.map((run) => summaryOf([run]));
  const rows = acts.flatMap((act) =>
    runs.map((run) => ({
      title: `${titles[act]}, nodes: ${plain(numberOf(run, 'nodes') ?? 0)}`,
      cells: [
        cell(run, `${act}_few_ns`),
        cell(run, `${act}_many_ns`),
        cell(run, `${act}_ratio`),
        cell(run, `${act}_alone_ns`),
      ],
    })),
  );
  const headings = ['ns', '10 members', '10,000 members', 'ratio', '10 alone'];
  return [...method, '', ...rowsTable(headings, rows)];
}

const method = [
  'What an operation of the queue costs with 10 members and with 10,000, medians of many runs without a cluster (`npm run bench -- pick`).',
  'The 10 are those of one queue among a thousand, which take as much memory as one of 10,000; *10 alone* is one that has the cache of the',
  `core to itself. The ratio may be ${limit}, or that of a Map that finds an entry and replaces it where memory is so slow. The rival looks`,
  'at all Sandboxes at each pick.',
];
