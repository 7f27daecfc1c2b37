// docs/comparison.md has figures of docs/benchmarks.md and no others: each cell stands there, in
// the section, the row and the column of the same names.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from './sources.ts';

interface Row {
  readonly section: string;
  readonly name: string;
  /** By the heading of the column. */
  readonly cells: Readonly<Record<string, string>>;
}

/** The tables of a page, a section having one at most. */
function rowsOf(page: string): readonly Row[] {
  const text = readFileSync(join(root, 'docs', page), 'utf8');
  return text.split(/^## /m).flatMap((part) => {
    const section = part.slice(0, part.indexOf('\n'));
    const [headings = [], , ...rows] = part
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .map((line) =>
        line
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim()),
      );
    return rows.map(([name = '', ...cells]) => ({
      section,
      name,
      cells: Object.fromEntries(cells.map((cell, at) => [headings[at + 1] ?? '', cell])),
    }));
  });
}

const measured = rowsOf('benchmarks.md');
const compared = rowsOf('comparison.md');

describe('The comparison', () => {
  test('has rows of three sections', () => {
    expect(new Set(compared.map(({ section }) => section)).size).toBe(3);
    expect(compared.length).toBeGreaterThan(15);
  });

  test.each(compared)('of $section: $name has figures that were measured', (row) => {
    const source = measured.filter(({ section, name }) => {
      return section === row.section && name === row.name;
    });
    // `- ready, s` stands below several rows: one of them has these figures.
    const same = source.filter(({ cells }) =>
      Object.entries(row.cells).every(([heading, cell]) => cell !== '' && cells[heading] === cell),
    );
    expect(same.length === 0 ? source : []).toEqual([]);
  });
});
