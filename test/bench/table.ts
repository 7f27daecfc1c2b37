// Results as a table for people: aligned text for the terminal. The keys are explained in
// docs/benchmarks.md.
import type { RequestCounts } from './requests.ts';
import type { Summary } from './statistics.ts';

/** Columns as wide as their widest cell; the first to the left, the others to the right. */
export function aligned(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    });
  }
  const pad = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row) => `${row.map(pad).join('  ').trimEnd()}\n`).join('');
}

/** A row per number: median, least and most where there were several runs. */
export function summaryTable({ runs, median, spread }: Summary): string {
  const headings = runs === 1 ? ['', 'value'] : ['', 'median', 'least', 'most'];
  const rows = Object.entries(median).flatMap(([key, value]) => {
    if (typeof value !== 'number') return [];
    const [least, most] = spread[key] ?? ['', ''];
    return [runs === 1 ? [key, String(value)] : [key, ...[value, least, most].map(String)]];
  });
  return aligned([headings, ...rows]);
}

/** A row per kind of request, the most frequent first. */
export function requestTable(counts: RequestCounts): string {
  const rows = Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([key, count]) => [key, String(count)]);
  return aligned([['requests', 'count'], ...rows]);
}
