// A short day of chaos on a control plane of its own: two replicas that are killed, stopped, cut
// off and restored with their cluster. `npm run chaos` has twenty minutes of it. The seed is drawn;
// `COPPICE_SEED=n` repeats one.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFailed, test } from 'vitest';
import { systemRandom } from '#src/time/clock.ts';
import { leaseUnchecked, pausedDay, plantedSeconds, unleased } from '../../chaos/planted/plant.ts';
import { runBriefly, runDay } from '../../chaos/run.ts';
import { drawSchedule } from '../../chaos/schedule.ts';
import { givenHere } from './given.ts';

const given = givenHere();
const skip = 'missing' in given ? ` [skipped: ${given.missing}]` : '';
const seed = Number(process.env['COPPICE_SEED'] ?? Math.floor(systemRandom.next() * 2 ** 31));
const seconds = 120;
/** The end may take as long as the day. */
const patient = { timeout: 900_000 };

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** A new one for each attempt: a day begins with an empty cluster. */
function folder(name: string): string {
  if ('missing' in given) throw new Error(given.missing);
  return mkdtempSync(join(given.root, `${name}-`));
}

describe.skipIf(skip !== '')(`Two minutes of chaos on the real control plane${skip}`, () => {
  test('break no rule of the oracles, and end as wanted', patient, async () => {
    const lines: string[] = [];
    onTestFailed(() => lines.forEach(say));
    const tell = (line: string): number => lines.push(line);
    const report = await runDay({ seed, seconds, folder: folder('chaos'), say: tell });
    lines.push(...report.around, ...report.ran);
    lines.push(`npm run chaos -- --seed ${seed} --minutes 2 repeats the day`);
    // The first line is all that is left of an attempt that another one follows.
    const { violations } = report;
    expect(violations, `seed ${seed}: ${violations.join('; ')}`).toEqual([]);
    const { judged = 0 } = report.tally.counts['write after the next owner'] ?? {};
    expect(judged).toBeGreaterThan(100);
  });

  test(
    'show that a controller without a check of its leases writes what is not its',
    patient,
    async () => {
      const copy = await leaseUnchecked();
      try {
        const schedule = pausedDay(drawSchedule(seed, plantedSeconds));
        const where = { folder: folder('planted'), root: copy.folder };
        const { violations } = await runBriefly({
          seed,
          seconds: plantedSeconds,
          schedule,
          say: () => {},
          ...where,
        });
        expect(violations.join('\n')).toMatch(unleased);
      } finally {
        await copy.remove();
      }
    },
  );
});
