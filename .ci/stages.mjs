// The stages of CI in their order, each under a hard limit, all of them under one: `.ci/run` starts
// this. A stage that this machine cannot run is skipped by name with the reason; whatever fails,
// the others run, and the last line counts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { count } from './count.mjs';
import { endAll, supervise } from './supervise.mjs';

const minute = 60_000;
const begun = performance.now();
const left = () => allMs - (performance.now() - begun);

/** Hard limits; what is usual is in docs/real-cluster.md. */
const allMs = 39 * minute;
const testsMs = 18 * minute;
const buildMs = 14 * minute;
const realMs = 20 * minute;
/** Less is not worth a start. */
const leastRealMs = 7 * minute;

/** Of `npm run cluster -- build`: this machine cannot build (sysexits(3), EX_TEMPFAIL). */
const cannotBuild = 75;

const reports = mkdtempSync(join(tmpdir(), 'coppice-ci-'));

/** @type {import('./count.mjs').Suite[]} */
const suites = [];
/** @type {string[]} */
const skipped = [];

for (const name of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP'])) {
  process.once(name, () => {
    console.error(`.ci: ended by ${name}`);
    rmSync(reports, { recursive: true, force: true });
    void endAll().then(() => process.exit(143));
  });
}

/**
 * Runs an npm script that is a suite of vitest.
 * @param {string} script
 * @param {number} limitMs
 * @param {NodeJS.ProcessEnv} [env]
 */
async function test(script, limitMs, env = {}) {
  const limit = Math.min(limitMs, left());
  const report = join(reports, `${script.replace(':', '-')}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { code, isCut } = await supervise('npm', ['run', script, '--', ...reporters], {
    limitMs: limit,
    env,
  });
  suites.push({ script, report, code, isCut });
  return { isLate: isCut && limit < limitMs };
}

/** Builds what is missing of the real control plane. Resolves with why there is none. */
async function build() {
  const { code, isCut, lines } = await supervise('npm', ['run', 'cluster', '--', 'build'], {
    limitMs: Math.min(buildMs, left() - leastRealMs),
  });
  if (code === 0) return undefined;
  if (isCut) return 'The build took too long';
  const why = lines.filter((line) => !line.startsWith('npm ')).at(-1) ?? `exit code ${code}`;
  if (code === cannotBuild) return why;
  suites.push({ script: 'cluster -- build', report: undefined, code, isCut });
  return why;
}

await test('test', testsMs);
await test('test:long', testsMs);
if (left() < leastRealMs + minute) {
  skipped.push('test:real: no time is left for it');
} else {
  const why = await build();
  const env = why === undefined ? {} : { COPPICE_CLUSTER_UNBUILT: why };
  const { isLate } = await test('test:real', realMs, env);
  // The others took its time: that it was not done says nothing of what it tests.
  if (isLate) {
    suites.pop();
    skipped.push(`test:real: not done when ${allMs / minute} minutes were over`);
  }
}
const total = count(suites);
rmSync(reports, { recursive: true, force: true });
for (const line of [...total.skipped, ...skipped]) console.log(`skipped: ${line}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;
