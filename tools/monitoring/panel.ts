// What a dashboard is made of, as data: queries for Prometheus in panels in rows. dashboards.ts
// makes Grafana's JSON of it; tests hold every query to a parser and every metric to our families.

import { ours } from './promql.ts';

/** `legend`: of each series, with labels in `{{ }}`. */
export interface Query {
  readonly expr: string;
  readonly legend: string;
}

/** Of Grafana. */
type Unit = 's' | 'ms' | 'short' | 'reqps' | 'ops' | 'percentunit' | 'bytes' | 'dtdurations';

export interface Panel {
  readonly title: string;
  /** What a normal value is, and where to look if it is not. */
  readonly about: string;
  readonly unit: Unit;
  readonly queries: readonly Query[];
  /** A number instead of a graph; above `red` it is red. */
  readonly stat?: { readonly red?: number };
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export interface Dashboard {
  /** Also the name of its file. */
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly rows: readonly Row[];
}

const chosen = 'job=~"$job",instance=~"$instance"';

/** Of the processes that are chosen above; `labels` besides. */
const of = (name: string, labels: string): string =>
  `${name}{${labels === '' ? chosen : `${chosen},${labels}`}}`;

/** What a counter of ours grows by in a second. */
export const rate = (counter: string, labels = ''): string =>
  ours(`rate(${of(counter, labels)}[$__rate_interval])`);

export const gauge = (name: string, labels = ''): string => ours(of(name, labels));

export const sum = (by: string, expr: string): string => `sum by (${by}) ${expr}`;

/** `by`: labels besides `le`. */
export const quantile = (q: number, histogram: string, by: string, labels = ''): string =>
  `histogram_quantile(${q}, ${sum(`${by}, le`, rate(`${histogram}_bucket`, labels))})`;

/** One query, with its series under these names. */
export const one = (legend: string, expr: string): readonly Query[] => [{ expr, legend }];
