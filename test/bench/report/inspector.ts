// The section of docs/benchmarks.md on the inspector: the page beside a plain table, and a deploy
// that viewers watch beside one that nobody watches. page.ts puts it in its place.
import { viewersBounds } from '../viewers/judge.ts';
import { usualViewers } from '../viewers/settings.ts';
import { cell, notMeasured, numberOf, plain, rowsTable, summaryOf } from './figures.ts';
import type { Stored } from './results.ts';

interface Figure {
  readonly title: string;
  /** Key of the same without the inspector, where there is such a thing. */
  readonly base?: string;
  readonly own: string;
  /** Key of what is held against the bound. */
  readonly judged: string;
}

const rows: readonly Figure[] = [
  { title: 'JavaScript and CSS, kB gzip', own: 'page_gzip_kb', judged: 'page_gzip_kb' },
  {
    title: 'first rows, ms',
    base: 'bare_first_rows_ms',
    own: 'first_rows_ms',
    judged: 'first_rows_ratio',
  },
  {
    title: 'frames while scrolling, P95, ms',
    base: 'bare_frame_p95_ms',
    own: 'frame_p95_ms',
    judged: 'frame_p95_ratio',
  },
  {
    title: 'change to paint, P95, ms',
    own: 'fact_to_paint_p95_ms',
    judged: 'fact_to_paint_p95_ms',
  },
  { title: 'a trace of 200 facts, ms', own: 'trace_of_200_ms', judged: 'trace_of_200_ms' },
  {
    title: 'longest stall of the controller, ms',
    base: 'without_longest_stall_ms',
    own: 'watched_longest_stall_ms',
    judged: 'stall_ratio',
  },
  {
    title: 'deploy until all pods are ready, s',
    base: 'without_ready_s',
    own: 'watched_ready_s',
    judged: 'deploy_change_percent',
  },
  {
    title: 'controller at rest, percent of a core',
    base: 'without_idle_cpu_percent',
    own: 'watched_idle_cpu_percent',
    judged: 'viewer_idle_cpu_percent',
  },
];

export function inspectorSection({ inspector }: Stored): readonly string[] {
  const summary = summaryOf(inspector);
  if (summary === undefined) return [...method, '', ...notMeasured('inspector')];
  const lines = rows.map(({ title, base, own, judged }) => {
    const [, bound = 0] = viewersBounds[judged] ?? [];
    const value = numberOf(summary, judged);
    const verdict = value === undefined || value <= bound ? 'met' : 'missed';
    return {
      title,
      cells:
        value === undefined
          ? []
          : [
              base === undefined ? '' : cell(summary, base),
              cell(summary, own),
              cell(summary, judged),
              plain(bound),
              verdict,
            ],
    };
  });
  return [...method, '', ...rowsTable(['', 'without', 'inspector', 'judged', 'bound', ''], lines)];
}

const method = [
  `A page of ${plain(usualViewers.rows)} rows in a headless browser, in turns with a plain table of as many rows: what is judged is the ratio, or the`,
  'time itself where a plain table has none. A change is painted within a batch of 100 ms and what the browser takes. Then a deploy of',
  `${plain(usualViewers.replicas)} replicas on the real control plane without viewers and with ${usualViewers.viewers} that take every fact, in pairs: judged are the ratio of the`,
  'stalls, the percentage by which the deploy is slower, and the percentage of a core that one viewer costs at rest',
  '(`npm run bench -- inspector`, [what it is](inspector.md)).',
];
