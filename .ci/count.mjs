// Called by .ci/run with, for each suite, the report of vitest (JSON) and the exit code of the run:
// prints the line "N passed, N failed" over all and exits with 0 only where everything passed. A
// run that ended badly without a failed test (a crash, a file that cannot be loaded) counts as
// failed.
import { existsSync, readFileSync } from 'node:fs';

const suites = process.argv.slice(2);
const total = { passed: 0, failed: 0 };
for (let at = 0; at < suites.length; at += 2) {
  const { passed, failed } = count(suites[at] ?? '');
  total.passed += passed;
  total.failed += suites[at + 1] === '0' ? failed : Math.max(failed, 1);
}
if (suites.length === 0) total.failed = 1;
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;

/** @typedef {{ status: string, assertionResults: { status: string }[] }} FileResult */

/**
 * @param {string} reportFile
 * @returns {{ passed: number, failed: number }}
 */
function count(reportFile) {
  if (!existsSync(reportFile)) return { passed: 0, failed: 1 };
  try {
    /** @type {{ testResults: FileResult[], numPassedTests: number, numFailedTests: number }} */
    const report = JSON.parse(readFileSync(reportFile, 'utf8'));
    const unloadable = report.testResults.filter(
      (file) =>
        file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
    );
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests + unloadable.length,
    };
  } catch (error) {
    console.error(`the report of the tests cannot be read: ${String(error)}`);
    return { passed: 0, failed: 1 };
  }
}
