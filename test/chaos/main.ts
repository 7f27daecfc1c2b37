// `npm run chaos`: a day of chaos on the real control plane, twenty minutes long unless told
// otherwise. Prints what was done and when, how often each oracle judged, and ends with 1 where
// something was not as it must be, with the first violation and what happened around it.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemRandom } from '#src/time/clock.ts';
import { ownFolder, sweep } from '#test/cluster/leftovers.ts';
import { down, whyNotUp } from '#test/cluster/up.ts';
import { flagsOrEnd } from '#test/support/flags.ts';
import { programsSoFar } from '#test/support/program.ts';
import type { DayOptions } from './day.ts';
import { leaseUnchecked, pausedDay, plantedSeconds, unleased } from './planted/plant.ts';
import { type Report, runBriefly, runDay, tell } from './run.ts';
import { drawSchedule } from './schedule.ts';

const prefix = 'coppice-chaos-';
/** EX_TEMPFAIL, as `npm run cluster -- build` ends where it cannot build. */
const cannotRun = 75;

const usage = `Usage: npm run chaos [-- FLAGS]
Runs two replicas of the controller on a real control plane (npm run cluster -- build) while
processes are killed and stopped, servers restart, answers are lost, nodes fail and etcd is
restored, and judges all that happened. Ends with 1 where something was wrong.`;

const { values } = flagsOrEnd(
  usage,
  {
    seed: { type: 'string', value: 'N', about: 'of the schedule (drawn, and printed)' },
    minutes: { type: 'string', value: 'N', default: '20', about: 'how long it lasts (20)' },
    planted: { type: 'boolean', default: false, about: 'with a bug on purpose: it must be found' },
    quiet: { type: 'boolean', default: false, about: 'tell nothing on the way' },
    keep: { type: 'string', value: 'DIR', about: 'keep recordings and logs of processes there' },
  },
  false,
);

const missing = await whyNotUp();
// By an exit: Node has been seen to spin in its own end, over the handle of a killed server.
if (missing === undefined) process.exit((await chaos()) ? 0 : 1);
else {
  process.stderr.write(`${missing}\n`);
  process.exitCode = cannotRun;
}

async function chaos(): Promise<boolean> {
  const seed = Number(values.seed ?? Math.floor(systemRandom.next() * 2 ** 31));
  const seconds = Number(values.minutes) * 60;
  await sweep(prefix);
  const folder = values.keep ?? ownFolder(prefix);
  mkdirSync(folder, { recursive: true });
  const say = (line: string): void => {
    if (!values.quiet) process.stderr.write(`${line}\n`);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void down(join(folder, 'cluster')).finally(() => process.exit(143)));
  }
  process.stdout.write(`seed ${seed}, ${values.minutes} minutes\n`);
  try {
    if (values.planted) return await findPlanted({ seed, seconds: plantedSeconds, folder, say });
    const report = await runDay({ seed, seconds, folder, say });
    show(report);
    return report.violations.length === 0;
  } finally {
    if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
    else keepLogs(folder);
  }
}

async function findPlanted(options: DayOptions): Promise<boolean> {
  const copy = await leaseUnchecked();
  try {
    const schedule = pausedDay(drawSchedule(options.seed, options.seconds));
    const { violations } = await runBriefly({ ...options, schedule, root: copy.folder });
    const found = violations.filter((one) => unleased.test(one));
    process.stdout.write([...found.slice(0, 3), `found ${found.length} times`, ''].join('\n'));
    return found.length > 0;
  } finally {
    await copy.remove();
  }
}

function show(report: Report): void {
  const { seed, violations, around, ran, tally, memory, played } = report;
  const lines = [
    ...tally.table(),
    ...(memory === undefined ? [] : [`the second replica: ${tell(memory.old)}`]),
    ...(memory === undefined ? [] : [`  started anew: ${tell(memory.young)}`]),
    `${played.changes} changes, ${played.writes} of them by the controllers; ${played.lines} lines`,
  ];
  const verdict = violations.length === 0 ? 'passed' : 'FAILED';
  const failure = [
    'the schedule as it ran:',
    ...ran,
    ...(around.length > 0 ? ['around the first violation:', ...around] : []),
    ...violations.slice(0, 60).map((one) => `  ${one}`),
    `repeat it with: npm run chaos -- --seed ${seed} --minutes ${values.minutes}`,
  ];
  const all = [...lines, ...(violations.length > 0 ? failure : []), `seed ${seed} ${verdict}`];
  process.stdout.write(`${all.join('\n')}\n`);
}

function keepLogs(folder: string): void {
  for (const { pid, lines } of programsSoFar()) {
    writeFileSync(join(folder, `process-${pid}.log`), `${lines.join('\n')}\n`);
  }
}
