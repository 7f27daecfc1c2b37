// Cells and tables of the page from stored runs: medians with their spread, beside the references.
import { table } from '#test/surface/page.ts';
import { type Summary, summarize } from '../statistics.ts';
import type { PartName } from './parts.ts';
import { type Figures, referenceReplicas } from './reference.ts';
import type { StoredRun } from './results.ts';

/** What the runs of a part come to; undefined without runs. */
export const summaryOf = (runs: readonly StoredRun[]): Summary | undefined =>
  runs.length === 0 ? undefined : summarize(runs.map(({ result }) => result));

export function numberOf(summary: Summary | undefined, key: string): number | undefined {
  const value = summary?.median[key];
  return typeof value === 'number' ? value : undefined;
}

/** `12.07 (11.8 to 12.6)`, the median alone where all runs agree, empty where nobody knows. */
export function cell(summary: Summary | undefined, key: string): string {
  const value = numberOf(summary, key);
  if (value === undefined) return '';
  const [least, most] = summary?.spread[key] ?? [value, value];
  return least === most ? plain(value) : `${plain(value)} (${plain(least)} to ${plain(most)})`;
}

/** With commas from a thousand on, as in `12,873`. */
export const plain = (value: number): string => value.toLocaleString('en-US');

/** A reference holds for its size alone. */
export const reference = (summary: Summary | undefined, figures: Figures, key: string): string =>
  numberOf(summary, 'replicas') === referenceReplicas ? (figures[key] ?? '') : '';

export interface Row {
  readonly title: string;
  readonly cells: readonly string[];
}

/** Rows of which nothing is known are left out. */
export const rowsTable = (headings: readonly string[], rows: readonly Row[]): readonly string[] =>
  table(
    headings,
    rows
      .filter(({ cells }) => cells.some((text) => text !== ''))
      .map(({ title, cells }) => [title, ...cells]),
  );

/** In the place of a table for which there are no results. */
export const notMeasured = (...parts: readonly PartName[]): readonly string[] => [
  `Not measured yet: \`npm run bench -- report --only ${parts.join(',')}\`.`,
];
