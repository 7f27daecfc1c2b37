// A reporter of vitest that prints the conformance suite as a table at the end: each check with its
// result on the embedded cluster and on the real control plane, and the counts in the last line.
import type { Reporter, TestCase, TestModule } from 'vitest/node';

const servers = { embedded: 'The embedded cluster', real: 'A real control plane' } as const;
type Server = keyof typeof servers;
const columns: readonly Server[] = ['embedded', 'real'];

type Verdict = 'ok' | 'listed' | 'FAILED' | 'skipped' | '-';
type Row = Partial<Record<Server, Verdict>>;

/** Rows by check, checks by subject. */
type Table = Map<string, Map<string, Row>>;

export class SideBySide implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const table: Table = new Map();
    const reasons = new Map<string, string>();
    for (const module of modules) {
      if (!module.moduleId.includes('/test/conformance/')) continue;
      for (const test of module.children.allTests()) collect(test, table, reasons);
    }
    if (table.size > 0) process.stdout.write(`\n${print(table, reasons)}\n`);
  }
}

function collect(test: TestCase, table: Table, reasons: Map<string, string>): void {
  const { parent } = test;
  if (parent.type !== 'suite' || parent.parent.type !== 'suite') return;
  const title = parent.parent.name;
  const server = columns.find((each) => title.startsWith(servers[each]));
  if (server === undefined) return;
  const rows = table.get(parent.name) ?? new Map<string, Row>();
  table.set(parent.name, rows);
  rows.set(test.name, { ...rows.get(test.name), [server]: verdict(test) });
  const { listed } = test.meta();
  const skipped = /\(skipped: .*\)$/.exec(title)?.[0];
  if (listed !== undefined) reasons.set(test.name, `${server}: ${listed}`);
  else if (skipped !== undefined) reasons.set(servers[server], skipped);
}

function verdict(test: TestCase): Verdict {
  const { state } = test.result();
  if (state === 'failed') return 'FAILED';
  if (state !== 'passed') return 'skipped';
  return test.meta().listed === undefined ? 'ok' : 'listed';
}

const titleWidth = 84;

function print(table: Table, reasons: ReadonlyMap<string, string>): string {
  const line = (title: string, cells: readonly string[]): string =>
    `${title.padEnd(titleWidth)} ${cells.map((cell) => cell.padEnd(9)).join('')}`.trimEnd();
  const lines = [line('check', columns)];
  for (const [subject, rows] of table) {
    lines.push(subject);
    for (const [check, row] of rows) {
      lines.push(
        line(
          `  ${check}`,
          columns.map((server) => row[server] ?? '-'),
        ),
      );
    }
  }
  if (reasons.size > 0) lines.push('', 'listed or skipped because');
  for (const [what, why] of reasons) lines.push(`  ${what}: ${why}`);
  return [...lines, '', counts(table)].join('\n');
}

function counts(table: Table): string {
  const rows = [...table.values()].flatMap((each) => [...each.values()]);
  const of = (server: Server): string => {
    const count = (wanted: Verdict): number =>
      rows.filter((row) => (row[server] ?? '-') === wanted).length;
    return (
      `${server}: ${count('ok')} ok, ${count('listed')} listed as different, ` +
      `${count('FAILED')} failed, ${count('skipped') + count('-')} skipped`
    );
  };
  return `${rows.length} checks; ${columns.map(of).join('; ')}`;
}
