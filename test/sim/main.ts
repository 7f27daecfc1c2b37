// `npm run sim`: runs many seeds, tells of the first failures how to repeat and read them, and ends
// with one line `seeds N passed P hash H`. Exits 1 when one failed. `--walk` walks generated sets
// instead, `--calm` without faults; `--planted` runs the seeds with bugs on purpose.
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { findPlanted } from './planted.ts';
import { type Report, simulate } from './run.ts';
import { walk } from './walk/run.ts';

/** So much faster than the clock, on one core, else a night is too short for many seeds. */
const leastSpeed = 100;
/** Fewer seeds say little: the first takes the time to load and compile everything. */
const seedsToJudgeSpeed = 20;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    until: { type: 'string' },
    trace: { type: 'boolean', default: false },
    first: { type: 'boolean', default: false },
    planted: { type: 'boolean', default: false },
    only: { type: 'string' },
    groups: { type: 'boolean', default: false },
    topology: { type: 'boolean', default: false },
    walk: { type: 'boolean', default: false },
    calm: { type: 'boolean', default: false },
    domains: { type: 'boolean', default: false },
    sharing: { type: 'boolean', default: false },
    kai: { type: 'boolean', default: false },
  },
});

/** Of one kind of runs: what is said to repeat one. */
const flags = (['groups', 'topology', 'domains', 'sharing', 'kai', 'walk', 'calm'] as const)
  .filter((flag) => values[flag])
  .map((flag) => ` --${flag}`)
  .join('');

const hasTopology = values.topology;
const hasDomains = values.domains;
const hasSharing = values.sharing;
const hasKai = values.kai;
const hasGroups = values.groups || hasTopology || hasDomains || hasSharing || hasKai;
const kinds = { hasGroups, hasTopology, hasDomains, hasSharing, hasKai };

const run = (seed: number, options: { badSeconds?: number; keepTrace?: boolean }) =>
  values.walk
    ? walk(seed, { ...options, isCalm: values.calm })
    : simulate(seed, { ...options, ...kinds });

if (values.planted) {
  const isFound = await findPlanted(Number(values.seeds ?? 200), values.only);
  process.exitCode = isFound ? 0 : 1;
} else {
  process.exitCode = (await runSeeds()) ? 0 : 1;
}

/** True when all passed. */
async function runSeeds(): Promise<boolean> {
  const only = values.seed === undefined ? undefined : Number(values.seed);
  const first = only ?? Number(values.from);
  const count = only === undefined ? Number(values.seeds ?? 50) : 1;
  const until = values.until === undefined ? {} : { badSeconds: Number(values.until) };
  const hash = createHash('sha256');
  let ran = 0;
  let passed = 0;
  let virtualMs = 0;
  const began = process.cpuUsage();
  for (let seed = first; seed < first + count; seed++) {
    const report = await run(seed, { ...until, keepTrace: values.trace });
    virtualMs += report.virtualMs;
    ran++;
    hash.update(report.hash);
    tell(report);
    if (report.violations.length === 0) passed++;
    else if (values.first) break;
    else if (values.until === undefined) await tellPrefix(report);
  }
  const { user, system } = process.cpuUsage(began);
  const isFast = tellSpeed(ran, virtualMs / ((user + system) / 1_000));
  console.log(`seeds ${ran} passed ${passed} hash ${hash.digest('hex').slice(0, 16)}`);
  return passed === ran && isFast;
}

function tellSpeed(seeds: number, speed: number): boolean {
  const isFast = speed >= leastSpeed || seeds < seedsToJudgeSpeed;
  const verdict = isFast ? '' : `, but must be at least ${leastSpeed} : 1`;
  console.log(`simulated : real ${Math.round(speed)} : 1${verdict}`);
  return isFast;
}

function tell(report: Report): void {
  for (const line of report.trace) console.log(line);
  const { seed, violations, crashes, requests, busiest, convergedMs, badSeconds } = report;
  const verdict = violations.length === 0 ? 'passed' : 'FAILED';
  console.log(
    `seed ${seed} ${verdict}: ${badSeconds} bad seconds, ${crashes} crashes, ` +
      `${requests} requests, busiest second ${busiest}, converged after ${convergedMs ?? '-'} ms`,
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
    const { violations } = await run(seed, { badSeconds: middle });
    if (violations.length > 0) fails = middle;
    else passes = middle;
  }
  console.log(`  repeat it with: npm run sim -- --seed ${seed} --until ${fails} --trace${flags}`);
}
