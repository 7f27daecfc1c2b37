// The section of docs/benchmarks.md on the churn: what was judged, how, and what came of it.
// page.ts puts it in its place.
import { notMeasured, numberOf, plain, rowsTable, summaryOf } from './figures.ts';
import type { Stored } from './results.ts';

const rows: Readonly<Record<string, string>> = {
  scale_status_s: 'scaled out: last pod bound to status, s',
  delete_status_s: 'second set created: last pod bound to status, s',
  scale_gone_above_floor_s: 'scaled in: last pod gone, above the floor, s',
  delete_gone_above_floor_s: 'second set deleted: last pod gone, above the floor, s',
  heap_mb: 'heap after a collection, MiB',
  sockets: 'sockets',
  timers: 'timers',
  actors: 'actors',
};

export function churnSection({ churn }: Stored): readonly string[] {
  const summary = summaryOf(churn);
  if (summary === undefined) return [...method, '', ...notMeasured('churn')];
  const of = (key: string): string => {
    const value = numberOf(summary, key);
    return value === undefined ? '' : plain(value);
  };
  const about = `${of('replicas')} replicas, ${of('cycles')} cycles in ${of('minutes')} minutes.`;
  const table = Object.entries(rows).map(([key, title]) => {
    const growth = of(`${key}_growth`);
    return {
      title,
      cells: [
        of(`${key}_first`),
        of(`${key}_last`),
        growth === '' ? '' : `${growth} ± ${of(`${key}_error`)}`,
        String(summary.median[`${key}_verdict`] ?? ''),
      ],
    };
  });
  const headings = ['', 'first third', 'last third', 'growth', ''];
  return [...method, '', about, '', ...rowsTable(headings, table)];
}

const method = [
  'Half of the replicas are added and taken away again and again (`npm run bench -- churn --minutes 30`): by turns the set is scaled',
  'out and in, and a second set is created and deleted. One controller lives through all of it. In each cycle, beside the set at rest,',
  'the same script creates as many bare pods and deletes them, 64 in flight: that is the floor of a deletion. After each cycle the',
  'garbage of the controller is collected, and its heap, sockets, timers and actors are counted. The first third of the cycles is not',
  'judged: code is compiled then. The heap is judged from the cycle on in which the controller remembers as many UIDs of objects that',
  'are gone as it ever does, 20,000.',
  '',
  'A line is laid through all values of a figure; growth is what it rises by from the first cycle to the last, ± the 95 % interval. A',
  'figure is growing, and the command ends with 1, where the growth is certain and larger than is tolerated: 0.1 s (times; a tenth of',
  'the time to the status where that is more), 5 % (heap), 4 (sockets, timers), none at all (actors).',
];
