// The tables of the clique benchmark: the figures that matter first, refused writes last, and no
// rows that nobody measured.
import { expect, test } from 'vitest';
import { cellTable, page } from './page.ts';
import { columnOf } from './samples.ts';

const column = (agree: number, isVoid?: string) =>
  columnOf([
    {
      times: { unique: [5], agree: [agree], ready: [9], local: [7], own: [6], domain: [2000] },
      counts: { apiserver_cpu_s: 0.5, writes: 40, conflicts_409: 1234 },
      requests: {},
      ...(isVoid === undefined ? {} : { isVoid }),
    },
  ]);

const cell = {
  size: 18,
  cliques: 4,
  spreadSeconds: 0,
  capSeconds: 60,
  columns: new Map([
    ['S1', column(1200)],
    ['S3a', column(60_000)],
    ['S4', column(7, 'a watch broke')],
  ] as const),
};

test('A table has the agreement first, CPU in between and conflicts last', () => {
  const lines = cellTable(cell).split('\n');
  expect(lines[0]).toBe('|  | S1: PUT, lowest free | S3a: apply, lowest free | S4: Coppice |');
  expect(lines[2]).toBe('| all daemons agree, ms, median | 1,200 | over 60,000 |  |');
  expect(lines.at(-1)).toBe('| 409 Conflict | 1,234 | 1,234 |  |');
  const cpu = lines.findIndex((line) => line.startsWith('| kube-apiserver'));
  expect(cpu).toBeGreaterThan(lines.findIndex((line) => line.startsWith('| own row Ready')));
  expect(lines.some((line) => line.includes('etcd'))).toBe(false);
});

test('A page says what was measured, and which measurements do not count', () => {
  const text = page([cell], 'On a machine.');
  expect(text).toContain('On a machine.');
  expect(text).toContain('## 18 daemons in each of 4 cliques, all at once');
  expect(text).toContain('Void: S4, a watch broke.');
});
