// One work again and again, with a controller that dies before or after another write each time.
// For crash-each.test.ts, crash-each-groups.test.ts and crash-each-devices.test.ts.
import { amountOf } from '#test/support/optional.mjs';
import { type Crash, episode, type Outcome, type Work } from './episode.ts';

export interface Deaths {
  /** At each of which it died, before and after; on a slow machine in CI in turns, or at each
   *  second one. */
  readonly writes: number;
  /** What went wrong, with the write of which the controller died. */
  readonly problems: readonly string[];
}

export async function crashAtEach(work: Work): Promise<Deaths> {
  const undisturbed = await episode(work);
  const { writes, end } = undisturbed;
  const problems = judge(undisturbed, work, end).map((problem) => `without a crash: ${problem}`);
  if (problems.length > 0) return { writes, problems };
  for (let write = 1; write <= writes; write++) {
    for (const when of deathsAt(write)) {
      const outcome = await episode(work, { write, when });
      const { crashes } = outcome;
      const found = judge(outcome, work, end);
      if (crashes !== 1) found.push(`${crashes} crashes`);
      problems.push(...found.map((problem) => `${when} write ${write} of ${writes}: ${problem}`));
    }
  }
  return { writes, problems };
}

const deaths = amountOf('deaths at each write');

/** The death after one write is much like that before the next; with less than one of them, each
 *  second write has one. */
const deathsAt = (write: number): readonly Crash['when'][] => {
  const both = ['crashBefore', 'crashAfter'] as const;
  if (deaths > 1) return both;
  if (deaths >= 1) return [both[write % 2] ?? 'crashAfter'];
  return write % 2 === 0 ? [] : [both[((write - 1) / 2) % 2] ?? 'crashAfter'];
};

/** As `episode` counts them. */
const changesOf = ({ added = {}, deleted = {} }: Work): Record<string, number> => ({
  ...Object.fromEntries(Object.entries(added).map(([key, many]) => [`${key} ADDED`, many])),
  ...Object.fromEntries(Object.entries(deleted).map(([key, many]) => [`${key} DELETED`, many])),
});

function judge(outcome: Outcome, work: Work, end: readonly string[]): string[] {
  const problems = [...outcome.violations];
  const wanted = changesOf(work);
  for (const key of new Set([...Object.keys(wanted), ...Object.keys(outcome.changes)])) {
    const [is, should] = [outcome.changes[key] ?? 0, wanted[key] ?? 0];
    if (is !== should) problems.push(`${key}: ${is} times instead of ${should}`);
  }
  const { updates } = outcome;
  if (updates > work.mostUpdates) problems.push(`${updates} updates, at most ${work.mostUpdates}`);
  // What the specification leaves open is the same each time, too.
  const unlike = outcome.end.filter((line) => !end.includes(line));
  return [...problems, ...unlike.map((line) => `unlike without a crash: ${line}`)];
}
