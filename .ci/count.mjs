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
/**
 * @typedef {object} FileResult
 * @property {string} name
 * @property {string} status
 * @property {string} [message]
 * @property {number} [startTime]  milliseconds since the epoch
 * @property {number} [endTime]
 * @property {TestResult[]} assertionResults
 */

/**
 * `group` is its file and outermost title, `met` what a failure says.
 * @typedef {{ status: string, group: string, met: string }} Outcome
 */

/** More limits of time are missed on a slow machine. */
const maxRetried = { usual: 2, slow: 4 };
const slow = 0.5;

/**
 * `failures` names what failed, with what it met; `skipped` what was skipped, with the reason where
 * its title has one; `retried` what passed at its second attempt, with what the first one met.
 * @param {readonly Suite[]} suites
 * @param {number} effort  as support/optional.mjs has it
 * @returns {{ passed: number, failures: string[], skipped: string[], retried: string[] }}
 */
export function count(suites, effort = 1) {
  /** @type {Map<string, Outcome>} */
  const tests = new Map();
  /** @type {string[]} */
  const retried = [];
  const failures = suites.length === 0 ? ['no suite was run'] : [];
  for (const suite of suites) failures.push(...countSuite(suite, tests, retried));
  const most = effort > slow ? maxRetried.usual : maxRetried.slow;
  if (retried.length > most) {
    failures.push(`${retried.length} tests were retried, and at most ${most} may be`);
  }
  const of = (/** @type {string} */ wanted) =>
    [...tests.values()].filter(({ status }) => status === wanted);
  return {
    passed: of('passed').length,
    failures: [...failures, ...of('failed').map(({ met }) => met)],
    skipped: [...new Set(of('skipped').map(({ group }) => group))],
    retried,
  };
}

/**
 * The files that took longest, in seconds, over all suites: where time is to be saved.
 * @param {readonly Suite[]} suites
 * @param {number} most
 * @returns {string[]}
 */
export function slowest(suites, most) {
  const files = suites.flatMap(({ report, script }) =>
    (report === undefined ? [] : (read(report) ?? [])).map((file) => ({
      took: ((file.endTime ?? 0) - (file.startTime ?? 0)) / 1000,
      line: `${script} ${relative(process.cwd(), file.name)}`,
    })),
  );
  return files
    .toSorted((one, other) => other.took - one.took)
    .slice(0, most)
    .map(({ took, line }) => `${took.toFixed(0)} s ${line}`);
}

/**
 * Adds the tests of a suite; the answer names what failed beside them.
 * @param {Suite} suite
 * @param {Map<string, Outcome>} tests  by file and name
 * @param {string[]} retried
 */
function countSuite({ script, report, code, isCut }, tests, retried) {
  const files = report === undefined ? undefined : read(report);
  if (files === undefined) {
    return [`${script} ${isCut ? 'was cut off' : `ended with ${code}`}, no report`];
  }
  const unloadable = [];
  let hasFailed = false;
  for (const { name, status, message, assertionResults } of files) {
    const file = relative(process.cwd(), name);
    for (const test of assertionResults) {
      const met = `${file}: ${test.fullName}: ${words(test.failureMessages[0])}`;
      add(tests, file, test, met);
      if (test.status === 'passed' && test.failureMessages.length > 0) retried.push(met);
    }
    const isBroken = assertionResults.some((test) => test.status === 'failed');
    if (status === 'failed' && !isBroken) unloadable.push(`${file}: ${words(message)}`);
    hasFailed ||= status === 'failed' || isBroken;
  }
  return code !== 0 && !hasFailed ? [`${script} ended with ${code}`] : unloadable;
}

/** The seed of a property is in its second line, the place of any other failure too. */
const words = (message = '') => message.split('\n').slice(0, 2).join(' ').replaceAll(/ +/g, ' ');

/**
 * A failure stays, and what ran somewhere was not skipped.
 * @param {Map<string, Outcome>} tests
 * @param {string} file
 * @param {TestResult} test
 * @param {string} met
 */
function add(tests, file, { status, ancestorTitles, fullName }, met) {
  const [outermost = fullName] = ancestorTitles;
  // Without the reason, which is another one where another suite skips it, or none.
  const title = outermost.replace(/ [[(]skipped: .*[\])]$/, '');
  const key = `${file}\n${title}${fullName.slice(outermost.length)}`;
  const before = tests.get(key)?.status;
  if (before === 'failed' || (before === 'passed' && status !== 'failed')) return;
  const isRun = status === 'passed' || status === 'failed';
  const group = `${file}: ${outermost}`;
  tests.set(key, { status: isRun ? status : 'skipped', group, met });
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
