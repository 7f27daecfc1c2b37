// The section of docs/benchmarks.md that shows how the figures went from commit to commit.
import { table } from '#test/surface/page.ts';
import { cell, summaryOf } from './figures.ts';
import type { PartName } from './parts.ts';
import { referenceReplicas } from './reference.ts';
import type { Stored, StoredRun } from './results.ts';

const life = {
  created_s: 'created, s',
  ready_s: 'ready, s',
  gone_s: 'gone, s',
  writes: 'writes',
  conflicts: 'conflicts',
  controller_cpu_s: 'controller, CPU s',
  controller_rss_mb: 'controller, peak MiB',
};

const shown: readonly {
  readonly part: PartName;
  readonly title: string;
  readonly columns: Readonly<Record<string, string>>;
}[] = [
  { part: 's2', title: 'No limits (S2)', columns: life },
  { part: 's1', title: 'With the limits of upstream (S1)', columns: life },
  { part: 'embedded', title: 'The embedded cluster', columns: life },
  {
    part: 'road',
    title: 'Product files from the line of a watch to the write (`npm run road`)',
    columns: { files_pod_ready: 'pod Ready to both statuses', files_3_to_5: '3 to 5 replicas' },
  },
];

const legend = [
  'Medians by measured commit, the newest last; `+`: with uncommitted changes. Real runs of commits up to `a256e8a` may include 2 s that',
  'kube-apiserver waits while a CRD is young ([0020](decisions/0020-before-and-after-in-pairs.md)).',
];

/** A table per part that has a trend, a row per commit. */
export const trendSection = (stored: Stored): readonly string[] => [
  ...legend,
  ...shown.flatMap(({ part, title, columns }) => {
    const runs = stored[part].filter(isComparable);
    if (runs.length === 0) return [];
    const rows = [...Map.groupBy(runs, ({ commit }) => commit)].map(([commit, those]) => [
      short(commit),
      those.at(-1)?.date ?? '',
      String(those.length),
      ...Object.keys(columns).map((key) => cell(summaryOf(those), key)),
    ]);
    const headings = ['commit', 'date', 'runs', ...Object.values(columns)];
    return ['', `${title}:`, '', ...table(headings, rows)];
  }),
];

/** Other sizes are tried out now and then. */
const isComparable = ({ result }: StoredRun): boolean =>
  result['replicas'] === undefined || result['replicas'] === referenceReplicas;

const short = (commit: string): string =>
  `\`${commit.slice(0, 7)}${commit.endsWith('+') ? '+' : ''}\``;
