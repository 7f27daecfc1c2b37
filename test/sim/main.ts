// `npm run sim`: runs many seeds, tells of the first failures how to repeat and read them, and ends
// with one line `seeds N passed P hash H`. Exits 1 when one failed. `--walk` walks generated sets
// instead, `--calm` without faults; `--planted` runs the seeds with bugs on purpose.
import { createHash } from 'node:crypto';
import { flagsOrEnd } from '#test/support/flags.ts';
import { cliqueDay } from './cliques/run.ts';
import { type Kind, kinds } from './kinds.ts';
import { judgedTooSeldom } from './oracles/least-judged.ts';
import { Tally } from './oracles/tally.ts';
import { findPlanted } from './planted/search.ts';
import { poolDay } from './pools/run.ts';
import { type Report, simulate, type SimulationOptions } from './run.ts';
import { walk } from './walk/run.ts';

/** So much faster than the clock, on one core, else a night is too short for many seeds. */
const leastSpeed = 100;
/** Fewer seeds say little: the first takes the time to load and compile everything. */
const seedsToJudgeSpeed = 20;

/** Where the flags say nothing else. */
const usualSeeds =
  '400; with groups 120, of cliques or pools 100, with claims 80, of walks 60, with --planted 200';

const usage = `Usage: npm run sim [-- FLAGS]
Runs days of the controller on a virtual clock, one per seed. Ends with 1 where one failed.`;

const { values } = flagsOrEnd(
  usage,
  {
    seeds: { type: 'string', value: 'N', about: `how many (${usualSeeds})` },
    from: { type: 'string', value: 'N', default: '1', about: 'the first of them (1)' },
    seed: { type: 'string', value: 'N,N', about: 'this one alone, or several: 3,17' },
    until: {
      type: 'string',
      value: 'N,N',
      about: 'seconds after which nothing bad happens any more',
    },
    trace: { type: 'boolean', default: false, about: 'print what happens' },
    first: { type: 'boolean', default: false, about: 'end with the first that fails' },
    brief: { type: 'boolean', default: false, about: 'end a run with its first violation' },
    groups: { type: 'boolean', default: false, about: 'sets with scaling groups' },
    topology: { type: 'boolean', default: false, about: 'groups, and places in a topology' },
    domains: { type: 'boolean', default: false, about: 'groups, and ComputeDomains' },
    sharing: { type: 'boolean', default: false, about: 'groups, and shared claims' },
    kai: { type: 'boolean', default: false, about: 'groups, placed by KAI' },
    updates: { type: 'boolean', default: false, about: 'groups, and templates that are edited' },
    losses: { type: 'boolean', default: false, about: 'the same, and nodes that are lost' },
    restored: { type: 'boolean', default: false, about: 'the server restored from a backup' },
    cliques: { type: 'boolean', default: false, about: "NVIDIA's module: NVLink cliques" },
    pools: { type: 'boolean', default: false, about: "agent-sandbox's module: warm pools" },
    walk: { type: 'boolean', default: false, about: 'generated sets that are edited' },
    calm: { type: 'boolean', default: false, about: 'with --walk: nothing bad happens' },
    planted: { type: 'boolean', default: false, about: 'bugs on purpose, until each is found' },
    only: { type: 'string', value: 'BUG', about: 'with --planted: this bug alone' },
  },
  false,
);

const { groups, topology, domains, sharing, kai, updates, losses, restored } = values;
const { cliques, pools, walk: walks, calm } = values;
const asked = Object.entries({
  groups,
  topology,
  domains,
  sharing,
  kai,
  updates,
  losses,
  restored,
  cliques,
  pools,
  walk: walks,
  calm,
})
  .filter(([, isAsked]) => isAsked)
  .map(([flag]) => flag);
/** Of one kind of runs: what is said to repeat one. */
const flags = asked.map((flag) => ` --${flag}`).join('');
const kindsAsked = (Object.keys(kinds) as Kind[]).filter((kind) => asked.includes(kind));

const usual = walks
  ? 60
  : cliques || pools
    ? 100
    : sharing
      ? 80
      : kindsAsked.length > 0
        ? 120
        : 400;

const run = (seed: number, options: SimulationOptions): Promise<Report> =>
  walks
    ? walk(seed, { ...options, isCalm: calm })
    : cliques
      ? cliqueDay(seed, options)
      : pools
        ? poolDay(seed, options)
        : simulate(seed, Object.assign({}, ...kindsAsked.map((kind) => kinds[kind]), options));

if (values.planted) {
  const isFound = await findPlanted(Number(values.seeds ?? 200), values.only);
  process.exitCode = isFound ? 0 : 1;
} else {
  process.exitCode = (await runSeeds()) ? 0 : 1;
}

function range(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}

/** True when all passed. */
async function runSeeds(): Promise<boolean> {
  const only = values.seed?.split(',').map(Number);
  const seeds = only ?? range(Number(values.from), Number(values.seeds ?? usual));
  const until = values.until === undefined ? {} : { badSeconds: Number(values.until) };
  const hash = createHash('sha256');
  let ran = 0;
  let passed = 0;
  let scaledIn = 0;
  let forced = 0;
  let forcedSeeds = 0;
  let virtualMs = 0;
  const tally = new Tally();
  const began = process.cpuUsage();
  for (const seed of seeds) {
    const report = await run(seed, { ...until, keepTrace: values.trace, isBrief: values.brief });
    virtualMs += report.virtualMs;
    ran++;
    if (report.scaleIns > 0) scaledIn++;
    forced += report.forced;
    if (report.forced > 0) forcedSeeds++;
    hash.update(report.hash);
    tally.add(report.judgements);
    tell(report);
    if (report.violations.length === 0) passed++;
    else if (values.first) break;
    else if (values.until === undefined && (only?.length ?? 1) === 1) await tellPrefix(report);
  }
  const { user, system } = process.cpuUsage(began);
  const isFast = tellSpeed(ran, virtualMs / ((user + system) / 1_000));
  console.log(`seeds with a scale-in inside a PodClique: ${scaledIn} of ${ran}`);
  console.log(`shards given away by force: ${forced}, in ${forcedSeeds} of ${ran} seeds`);
  const isSeeing = tellJudgements(ran, tally);
  console.log(`seeds ${ran} passed ${passed} hash ${hash.digest('hex').slice(0, 16)}`);
  return passed === ran && isFast && isSeeing;
}

/** A table, and what judged too seldom; false where something did. */
function tellJudgements(seeds: number, tally: Tally): boolean {
  for (const line of tally.table()) console.log(line);
  const kind = cliques
    ? 'cliques'
    : pools
      ? 'pools'
      : walks
        ? calm
          ? 'calm walk'
          : 'walk'
        : (kindsAsked[0] ?? 'plain');
  const complaints = values.until === undefined ? judgedTooSeldom(kind, seeds, tally) : [];
  for (const complaint of complaints) console.log(complaint);
  return complaints.length === 0;
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
