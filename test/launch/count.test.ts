// The last line of .ci/run and its exit code, for every way in which a test run can end.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'coppice-count-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (...statuses: readonly string[]) => ({
  status: statuses.includes('failed') || statuses.length === 0 ? 'failed' : 'passed',
  assertionResults: statuses.map((status) => ({ status })),
});

function count(report: string | undefined, exitCode: number) {
  const path = join(folder, 'report.json');
  rmSync(path, { force: true });
  if (report !== undefined) writeFileSync(path, report);
  const { stdout, status } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, '../../.ci/count.mjs'), path, String(exitCode)],
    { encoding: 'utf8' },
  );
  return [stdout, status];
}

const report = (passed: number, failed: number, files: readonly object[]) =>
  JSON.stringify({ numPassedTests: passed, numFailedTests: failed, testResults: files });

describe('The count of .ci/run', () => {
  it.each([
    ['all passed', report(2, 0, [file('passed', 'passed')]), 0, '2 passed, 0 failed\n', 0],
    ['one failed', report(1, 1, [file('passed', 'failed')]), 1, '1 passed, 1 failed\n', 1],
    ['a file did not load', report(1, 0, [file('passed'), file()]), 1, '1 passed, 1 failed\n', 1],
    ['an unhandled error', report(3, 0, [file('passed')]), 1, '3 passed, 1 failed\n', 1],
    ['no report', undefined, 137, '0 passed, 1 failed\n', 1],
    ['half a report', '{"numPass', 1, '0 passed, 1 failed\n', 1],
  ])('is right when %s', (_, text, exitCode, line, code) => {
    expect(count(text, exitCode)).toEqual([line, code]);
  });

  it('adds up all suites', () => {
    const good = join(folder, 'good.json');
    const bad = join(folder, 'bad.json');
    writeFileSync(good, report(2, 0, [file('passed', 'passed')]));
    writeFileSync(bad, report(3, 1, [file('passed', 'failed')]));
    const script = join(import.meta.dirname, '../../.ci/count.mjs');
    const of = (...suites: string[]) =>
      spawnSync(process.execPath, [script, ...suites], { encoding: 'utf8' });
    expect(of(good, '0', bad, '1')).toMatchObject({ stdout: '5 passed, 1 failed\n', status: 1 });
    expect(of(good, '0', good, '0')).toMatchObject({ stdout: '4 passed, 0 failed\n', status: 0 });
    expect(of()).toMatchObject({ stdout: '0 passed, 1 failed\n', status: 1 });
  });
});
