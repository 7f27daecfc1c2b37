// The figures as tables in markdown, one for each load, a column for each strategy: first when
// daemons agree and workloads may start, then what it costs the server, refused writes last.
import { percentile } from '../statistics.ts';
import { capacity } from './clique.ts';
import type { Column, TimeKey } from './samples.ts';
import { type StrategyName, strategyOf } from './strategies.ts';

export interface Cell {
  readonly size: number;
  readonly cliques: number;
  readonly spreadSeconds: number;
  readonly capSeconds: number;
  readonly columns: ReadonlyMap<StrategyName, Column>;
}

type Figure = readonly [label: string, value: (column: Column, capMs: number) => string];

const time = (label: string, key: TimeKey, percent: number): Figure => [
  label,
  ({ times }, capMs) => {
    const value = percentile(times[key], percent);
    if (Number.isNaN(value)) return '';
    return value >= capMs ? `over ${count(capMs)}` : count(value);
  },
];

const count = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: 2 });

/** The median, and the least and most where they differ. */
const number = (label: string, key: string): Figure => [
  label,
  ({ counts }) => {
    const [middle, least, most] = counts[key] ?? [];
    if (middle === undefined || least === undefined || most === undefined) return '';
    const spread = least === most ? '' : ` (${count(least)} to ${count(most)})`;
    return `${count(middle)}${spread}`;
  },
];

const figures: readonly Figure[] = [
  time('all daemons agree, ms, median', 'agree', 50),
  time('- 95 %', 'agree', 95),
  time('own row Ready as the plug-in finds it, ms, median', 'local', 50),
  time('- 95 %', 'local', 95),
  time('- 99 %', 'local', 99),
  time('own row Ready as the daemon sees it, ms, median', 'own', 50),
  time('- 95 %', 'own', 95),
  time('table complete, ms, median', 'unique', 50),
  time('- 95 %', 'unique', 95),
  time('all rows Ready, ms, median', 'ready', 50),
  time('- 95 %', 'ready', 95),
  time('domains Ready, ms, median', 'domain', 50),
  number('kube-apiserver, CPU s', 'apiserver_cpu_s'),
  number('etcd, CPU s', 'etcd_cpu_s'),
  number('cluster, CPU s', 'cluster_cpu_s'),
  number('centre, CPU s', 'central_cpu_s'),
  number('- peak MiB', 'central_rss_mb'),
  number('NATS, CPU s', 'nats_cpu_s'),
  number('daemons, CPU s', 'daemons_cpu_s'),
  number('- peak MiB', 'daemons_rss_mb'),
  number('- lag of their process, ms, 99 %', 'daemons_lag_ms'),
  number('length of the join, s', 'join_s'),
  number('versions of cliques', 'versions'),
  number('- of one until its table is complete, median', 'versions_join'),
  number('- of the one with most', 'versions_join_most'),
  number('- with a shared index', 'versions_shared'),
  number('index changes', 'index_changes'),
  number('- of a row that was Ready', 'index_changes_live'),
  number('watch events of daemons', 'watch_events'),
  number('- MiB', 'watch_mib'),
  number('writes', 'writes'),
  number('- accepted', 'writes_accepted'),
  number('writes of cliques', 'clique_writes'),
  number('- accepted', 'clique_writes_accepted'),
  number('422', 'refused_422'),
  number('429', 'throttled_429'),
  number('409 AlreadyExists', 'already_exists_409'),
  number('409 Conflict', 'conflicts_409'),
];

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

export function cellTable({ columns, capSeconds }: Cell): string {
  const all = [...columns];
  const headings = all.map(([name]) => `${name}: ${strategyOf(name).about}`);
  const rows = figures
    .map(([label, value]) => [label, ...all.map(([, one]) => value(one, capSeconds * 1000))])
    .filter(([, ...values]) => values.some((value) => value !== ''));
  return [['', ...headings], ['', ...headings].map(() => '---'), ...rows].map(line).join('\n');
}

const heading = ({ size, cliques, spreadSeconds }: Cell): string => {
  const when = spreadSeconds === 0 ? 'all at once' : `over ${spreadSeconds} s`;
  return `${size} daemons in each of ${cliques} cliques, ${when}`;
};

export function page(cells: readonly Cell[], about: string): string {
  const sections = cells.map((cell) => {
    const voids = [...cell.columns].flatMap(([name, { isVoid }]) =>
      isVoid.map((why) => `Void: ${name}, ${why}.\n`),
    );
    return `## ${heading(cell)}\n\n${cellTable(cell)}\n${voids.map((one) => `\n${one}`).join('')}`;
  });
  return [`# Cliques of ${capacity} indices\n`, `${about}\n`, ...sections].join('\n');
}
