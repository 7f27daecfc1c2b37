// What CI makes of the reports of its suites: the two numbers of its last line, and the names of
// what was skipped.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { count, slowest, type Suite } from '../../.ci/count.mjs';

const folder = mkdtempSync(join(tmpdir(), 'coppice-count-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Outcome = 'passed' | 'failed' | 'skipped' | 'retried';

/** One file with these tests in a suite of the title; `status` is the file's. */
const file = (
  name: string,
  title: string,
  tests: Readonly<Record<string, Outcome>>,
  status = Object.values(tests).includes('failed') ? 'failed' : 'passed',
) => ({
  name: resolve(name),
  status,
  assertionResults: Object.entries(tests).map(([test, outcome]) => ({
    ancestorTitles: [title],
    fullName: `${title} ${test}`,
    status: outcome === 'retried' ? 'passed' : outcome,
    failureMessages: ['retried', 'failed'].includes(outcome) ? ['Error: late\n    at x'] : [],
  })),
});

let written = 0;
function suite(files: readonly unknown[] | string, { code = 0, isCut = false } = {}): Suite {
  const report = join(folder, `${++written}.json`);
  const text = typeof files === 'string' ? files : JSON.stringify({ testResults: files });
  writeFileSync(report, text);
  return { script: 'test', report, code, isCut };
}

describe('The count of CI', () => {
  it('is over all suites', () => {
    const one = suite([file('a.ts', 'A', { x: 'passed', y: 'failed' })], { code: 1 });
    const two = suite([file('b.ts', 'B', { x: 'passed' })]);
    expect(count([one, two])).toEqual({
      passed: 2,
      failures: ['a.ts: A y: Error: late at x'],
      skipped: [],
      retried: [],
    });
  });

  it('names the files that took longest', () => {
    const timed = (name: string, seconds: number) => ({
      ...file(name, 'A', { x: 'passed' }),
      startTime: 5_000,
      endTime: 5_000 + seconds * 1000,
    });
    const one = suite([timed('a.ts', 3), timed('b.ts', 1)]);
    const two = suite([timed('c.ts', 2)]);
    expect(slowest([one, two, suite('damaged')], 2)).toEqual(['3 s test a.ts', '2 s test c.ts']);
  });

  it('takes a test that two suites ran once, and a failure of either for one', () => {
    const good = suite([file('a.ts', 'A', { x: 'passed', y: 'passed' })]);
    const bad = suite([file('a.ts', 'A', { x: 'passed', y: 'failed' })], { code: 1 });
    const met = 'a.ts: A y: Error: late at x';
    expect(count([good, bad])).toMatchObject({ passed: 1, failures: [met] });
    expect(count([bad, good])).toMatchObject({ passed: 1, failures: [met] });
  });

  it('names what was skipped and ran nowhere, once for each suite of a file', () => {
    const title = 'Scaling [skipped: not built: etcd]';
    const skips = suite([
      file('a.ts', title, { x: 'skipped', y: 'skipped' }),
      file('b.ts', 'B (skipped: no server (yet))', { x: 'skipped' }),
    ]);
    const runs = suite([file('b.ts', 'B', { x: 'passed' })]);
    expect(count([runs, skips])).toEqual(count([skips, runs]));
    expect(count([skips, runs])).toMatchObject({
      passed: 1,
      failures: [],
      skipped: [`a.ts: ${title}`],
    });
  });

  it('names what passed at its second attempt, and fails for more than two, or four on a slow machine', () => {
    const two = suite([file('a.ts', 'A', { x: 'retried', y: 'passed', z: 'retried' })]);
    const retried = ['x', 'z'].map((test) => `a.ts: A ${test}: Error: late at x`);
    expect(count([two])).toEqual({ passed: 3, failures: [], skipped: [], retried });
    const three = suite([file('b.ts', 'B', { x: 'retried' })]);
    expect(count([two, three])).toMatchObject({
      passed: 4,
      failures: ['3 tests were retried, and at most 2 may be'],
    });
    expect(count([two, three], 0.5).failures).toEqual([]);
  });

  it('has a failure for a file that cannot be loaded', () => {
    const broken = { ...file('a.ts', 'A', {}, 'failed'), message: 'SyntaxError: no' };
    expect(count([suite([broken], { code: 1 })])).toMatchObject({
      passed: 0,
      failures: ['a.ts: SyntaxError: no'],
    });
  });

  it('has a failure for a run that ended badly though no test failed', () => {
    const run = suite([file('a.ts', 'A', { x: 'passed' })], { code: 1 });
    expect(count([run])).toMatchObject({ passed: 1, failures: ['test ended with 1'] });
  });

  it('has a failure for a run without a report, with half of one, and for no run', () => {
    const none = { script: 'test', report: join(folder, 'none'), code: 128, isCut: true };
    expect(count([none])).toMatchObject({ passed: 0, failures: ['test was cut off, no report'] });
    expect(count([suite('{"testResults": [')])).toMatchObject({
      passed: 0,
      failures: ['test ended with 0, no report'],
    });
    expect(count([])).toMatchObject({ passed: 0, failures: ['no suite was run'] });
  });
});
