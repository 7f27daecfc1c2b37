// The stages of CI in their order, each under a hard limit, all of them under one: `.ci/run` starts
// this. A stage that is cut off has failed. One that this machine cannot run for want of Go is
// skipped by name; whatever fails, the others run, and the last line counts.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { speed } from './calibrate.mjs';
import { count, slowest } from './count.mjs';
import { effortAt, scaledAt } from '../test/support/optional.mjs';
import { installPackages } from './packages.mjs';
import { endAll, supervise } from './supervise.mjs';

const minute = 60_000;
const begun = performance.now();

/** Planned are 40 minutes from nothing on two quiet cores (docs/real-cluster.md). A machine of half
 *  that speed must be done before CI is ended from outside, at 90. */
const allMs = 88 * minute;
const limits = {
  build: 25 * minute,
  test: 20 * minute,
  mutate: 15 * minute,
  long: 50 * minute,
  real: 45 * minute,
};

/** Of `npm run cluster -- build`: there is no Go (sysexits(3), EX_TEMPFAIL). */
const noGo = 75;

const reports = mkdtempSync(join(tmpdir(), 'coppice-ci-'));

/** @type {import('./count.mjs').Suite[]} */
const suites = [];

for (const name of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP'])) {
  process.once(name, () => {
    console.error(`.ci: ended by ${name}`);
    rmSync(reports, { recursive: true, force: true });
    void endAll().then(() => process.exit(143));
  });
}

/**
 * Within its own limit and what is left of that of all.
 * @param {readonly string[]} args  of npm
 * @param {number} limitMs
 * @param {NodeJS.ProcessEnv} env
 */
async function npm(args, limitMs, env) {
  const from = performance.now();
  const limit = Math.min(limitMs, allMs - (from - begun));
  if (limit <= 0) {
    console.error(`.ci: no time is left for npm ${args.join(' ')}`);
    return { code: 1, isCut: true, lines: ['no time was left for it'] };
  }
  const ended = await supervise('npm', args, { limitMs: limit, env });
  const took = ((performance.now() - from) / minute).toFixed(1);
  console.log(`.ci: npm ${args.slice(0, 2).join(' ')} took ${took} min`);
  return ended;
}

/**
 * Runs an npm script that is a suite of vitest.
 * @param {string} script
 * @param {number} limitMs
 * @param {NodeJS.ProcessEnv} env
 */
async function test(script, limitMs, env) {
  const report = join(reports, `${script.replace(':', '-')}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { code, isCut } = await npm(['run', script, '--', ...reporters], limitMs, env);
  suites.push({ script, report, code, isCut });
}

/** Builds what is missing of the real control plane. Resolves with why there is none. */
async function build() {
  const script = ['run', 'cluster', '--', 'build'];
  const { code, isCut, lines } = await npm(script, limits.build, {});
  if (code === 0) return undefined;
  const last = lines.filter((line) => !line.startsWith('npm ')).at(-1) ?? `exit code ${code}`;
  const why = isCut ? 'the build was cut off' : last;
  if (code !== noGo) suites.push({ script: 'cluster -- build', report: undefined, code, isCut });
  return why;
}

/** Forty bugs, always the same ones while the sources stay: one that draws others now and then
 *  fails. At least 85 % of them must make a test fail that is near (docs/decisions/0038). */
async function mutate() {
  const sample = ['--sample', '40', '--seed', '1', '--nearest', '12', '--least', '85'];
  const { code, isCut } = await npm(['run', 'mutate', '--', ...sample], limits.mutate, {});
  if (code !== 0) suites.push({ script: 'mutate', report: undefined, code, isCut });
}

/** As much as the machine is fast enough for, unless it is given. */
async function effortHere() {
  const given = process.env['COPPICE_EFFORT'];
  if (given !== undefined) return Number(given);
  const fast = await speed();
  console.log(`.ci: this machine has ${fast.toFixed(2)} of the speed of the reference`);
  return effortAt(fast);
}

/**
 * Where the machine has no time for both, scenarios that take minutes are left to the real control
 * plane (vitest.config.ts), and some that are over soon to the embedded one.
 * @param {number} slow
 */
function playedOnce(slow) {
  if (slow >= 1) return {};
  for (const name of ['faults', 'warmpools']) {
    const of = `test/e2e/${name}`;
    console.log(`scaled: ${of}/long.test.ts on the real control plane alone, and of the other`);
    console.log(`scaled:   files there some on the embedded one alone;`);
    console.log(`scaled:   all: npm run test:long -- ${name}; npm run test:real -- ${name}`);
  }
  return { COPPICE_PLAYED_ONCE: '1' };
}

/**
 * The seed of all property tests, of the tree that is judged: they draw other cases for each
 * change, and the same ones for the same tree, so what CI found is found again elsewhere.
 */
function propertySeed() {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD^{tree}'], { encoding: 'utf8' });
  if (status !== 0) return {};
  const seed = String(Number.parseInt(stdout.slice(0, 7), 16));
  console.log(`.ci: properties are drawn by COPPICE_PROPERTY_SEED=${seed}`);
  return { COPPICE_PROPERTY_SEED: seed };
}

const effort = await effortHere();
for (const line of scaledAt(effort)) console.log(`scaled: ${line}`);
const paced = { COPPICE_EFFORT: String(effort), ...propertySeed() };

// Before the tests: both take the machine for themselves, and nothing that is measured runs yet.
const [why] = await Promise.all([build(), installPackages()]);
await test('test', limits.test, paced);
await mutate();
const once = why === undefined ? playedOnce(effort) : {};
await test('test:long', limits.long, { ...paced, ...once });
const unbuilt = why === undefined ? {} : { COPPICE_CLUSTER_UNBUILT: why };
await test('test:real', limits.real, { ...paced, ...once, ...unbuilt });

const total = count(suites, effort);
for (const line of slowest(suites, 25)) console.log(`slow: ${line}`);
rmSync(reports, { recursive: true, force: true });
for (const line of total.skipped) console.log(`skipped: ${line}`);
for (const line of total.retried) console.log(`retried: ${line}`);
for (const line of total.failures) console.log(`failed: ${line}`);
console.log(`.ci: ${((performance.now() - begun) / minute).toFixed(1)} min in all`);
console.log(`${total.passed} passed, ${total.failures.length} failed`);
process.exitCode = total.failures.length > 0 ? 1 : 0;
