// Counts over the reports of vitest (JSON) of all suites of CI. A run that ended badly without a
// failed test (a crash, a file that cannot be loaded, a limit) counts as failed; a test that two
// suites ran counts once. A test that passed at its second attempt is named, and too many of them
// are a failure: a test that fails now and then hides a bug. Called by .ci/stages.mjs.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * One suite that was run, and how it ended. Without a report where it is no suite of tests.
 * @typedef {{ script: string, report: string | undefined, code: number, isCut: boolean }} Suite
 */

/**
 * `failureMessages` holds those of every attempt.
 * @typedef {object} TestResult
 * @property {string} status
 * @property {string[]} ancestorTitles
 * @property {string} fullName
 * @property {string[]} failureMessages
 */
/** @typedef {{ name: string, status: string, assertionResults: TestResult[] }} FileResult */

/** @typedef {{ status: string, group: string }} Outcome  its file and outermost title */

export const maxRetried = 2;

/**
 * `skipped` names what was skipped, with the reason where its title has one; `retried` what passed
 * at its second attempt, with what the first one met.
 * @param {readonly Suite[]} suites
 * @returns {{ passed: number, failed: number, skipped: string[], retried: string[] }}
 */
export function count(suites) {
  /** @type {Map<string, Outcome>} */
  const tests = new Map();
  /** @type {string[]} */
  const retried = [];
  let failed = suites.length === 0 ? 1 : 0;
  for (const suite of suites) failed += countSuite(suite, tests, retried);
  if (retried.length > maxRetried) failed++;
  const of = (/** @type {string} */ wanted) =>
    [...tests.values()].filter(({ status }) => status === wanted);
  return {
    passed: of('passed').length,
    failed: failed + of('failed').length,
    skipped: [...new Set(of('skipped').map(({ group }) => group))],
    retried,
  };
}

/**
 * Adds the tests of a suite; the answer counts what failed beside them.
 * @param {Suite} suite
 * @param {Map<string, Outcome>} tests  by file and name
 * @param {string[]} retried
 */
function countSuite({ script, report, code, isCut }, tests, retried) {
  const files = report === undefined ? undefined : read(report);
  if (files === undefined) {
    console.error(`.ci: ${script} ${isCut ? 'was cut off' : `ended with ${code}`}, no report`);
    return 1;
  }
  let unloadable = 0;
  let hasFailed = false;
  for (const { name, status, assertionResults } of files) {
    const file = relative(process.cwd(), name);
    for (const test of assertionResults) {
      add(tests, file, test);
      const [met] = test.failureMessages;
      if (test.status !== 'passed' || met === undefined) continue;
      // The seed of a property is in its second line, the place of any other failure too.
      const words = met.split('\n').slice(0, 2).join(' ').replaceAll(/ +/g, ' ');
      retried.push(`${file}: ${test.fullName}: ${words}`);
    }
    const isBroken = assertionResults.some((test) => test.status === 'failed');
    if (status === 'failed' && !isBroken) unloadable++;
    hasFailed ||= status === 'failed' || isBroken;
  }
  return code !== 0 && !hasFailed ? 1 : unloadable;
}

/**
 * A failure stays, and what ran somewhere was not skipped.
 * @param {Map<string, Outcome>} tests
 * @param {string} file
 * @param {TestResult} test
 */
function add(tests, file, { status, ancestorTitles, fullName }) {
  const [outermost = fullName] = ancestorTitles;
  // Without the reason, which is another one where another suite skips it, or none.
  const title = outermost.replace(/ [[(]skipped: .*[\])]$/, '');
  const key = `${file}\n${title}${fullName.slice(outermost.length)}`;
  const before = tests.get(key)?.status;
  if (before === 'failed' || (before === 'passed' && status !== 'failed')) return;
  const isRun = status === 'passed' || status === 'failed';
  const group = `${file}: ${outermost}`;
  tests.set(key, { status: isRun ? status : 'skipped', group });
}

/**
 * @param {string} report
 * @returns {FileResult[] | undefined}
 */
function read(report) {
  if (!existsSync(report)) return undefined;
  try {
    return JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch (error) {
    console.error(`.ci: the report of the tests cannot be read: ${String(error)}`);
    return undefined;
  }
}
