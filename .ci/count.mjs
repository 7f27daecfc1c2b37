// Called by .ci/run with the report of vitest (JSON) and the exit code of `npm test`: prints the
// line "N passed, N failed" and exits with 0 only where everything passed. A run that ended badly
// without a failed test (a crash, a file that cannot be loaded) counts as failed.
import { existsSync, readFileSync } from 'node:fs';

const [reportFile = '', exitCode = ''] = process.argv.slice(2);

const { passed, failed } = count();
const isBad = failed > 0 || exitCode !== '0';
console.log(`${passed} passed, ${isBad ? Math.max(failed, 1) : 0} failed`);
process.exitCode = isBad ? 1 : 0;

/** @typedef {{ status: string, assertionResults: { status: string }[] }} FileResult */

function count() {
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
