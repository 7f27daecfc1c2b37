// `npm run sim`: runs many seeds, tells of the first failures how to repeat and read them, and ends
// with one line `seeds N passed P hash H`. Exits 1 when one failed.
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type Report, simulate } from './run.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '50' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    until: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
});

const only = values.seed === undefined ? undefined : Number(values.seed);
const first = only ?? Number(values.from);
const count = only === undefined ? Number(values.seeds) : 1;
const until = values.until === undefined ? {} : { badSeconds: Number(values.until) };

const hash = createHash('sha256');
let passed = 0;
for (let seed = first; seed < first + count; seed++) {
  const began = performance.now();
  const report = await simulate(seed, { ...until, keepTrace: values.trace });
  hash.update(report.hash);
  if (report.violations.length === 0) passed++;
  tell(report, performance.now() - began);
  if (report.violations.length > 0 && values.until === undefined) await tellPrefix(report);
}
console.log(`seeds ${count} passed ${passed} hash ${hash.digest('hex').slice(0, 16)}`);
process.exitCode = passed === count ? 0 : 1;

function tell(report: Report, realMs: number): void {
  for (const line of report.trace) console.log(line);
  const { seed, violations, crashes, requests, busiest, convergedMs, virtualMs, badSeconds } =
    report;
  const verdict = violations.length === 0 ? 'passed' : 'FAILED';
  const speed = Math.round(virtualMs / realMs);
  console.log(
    `seed ${seed} ${verdict}: ${badSeconds} bad seconds, ${crashes} crashes, ` +
      `${requests} requests, busiest second ${busiest}, converged after ${convergedMs ?? '-'} ms, ${speed}:1`,
  );
  for (const violation of violations.slice(0, 10)) console.log(`  ${violation}`);
  if (violations.length > 10) console.log(`  ... and ${violations.length - 10} more`);
}

/** The shortest bad day that still fails, by halving: not always the shortest of all, but cheap. */
async function tellPrefix({ seed, badSeconds }: Report): Promise<void> {
  let passes = 0;
  let fails = badSeconds;
  while (fails - passes > 1) {
    const middle = Math.floor((passes + fails) / 2);
    const { violations } = await simulate(seed, { badSeconds: middle });
    if (violations.length > 0) fails = middle;
    else passes = middle;
  }
  console.log(`  repeat it with: npm run sim -- --seed ${seed} --until ${fails} --trace`);
}
