// The controller is killed before and after every single one of its writes, for each kind of work:
// it always comes to the same end, by the same creations and deletions.
import { describe, expect, it } from 'vitest';
import { episode, works } from './episode.ts';
import type { Outcome, WorkName } from './episode.ts';

const names = Object.keys(works) as WorkName[];

function judge(outcome: Outcome, reference: Outcome): readonly string[] {
  const problems = [...outcome.violations];
  for (const key of new Set([...Object.keys(reference.changes), ...Object.keys(outcome.changes)])) {
    const [is, was] = [outcome.changes[key] ?? 0, reference.changes[key] ?? 0];
    if (is !== was) problems.push(`${key}: ${is} times instead of ${was}`);
  }
  const most = 1.5 * reference.updates + 10;
  if (outcome.updates > most) problems.push(`${outcome.updates} updates, at most ${most}`);
  const unlike = outcome.end.filter((line) => !reference.end.includes(line));
  if (outcome.end.length !== reference.end.length) {
    problems.push(`${outcome.end.length} objects in the end instead of ${reference.end.length}`);
  }
  return [...problems, ...unlike.map((line) => `unlike what it should be: ${line}`)];
}

describe.each(names)('A controller that dies once during work: %s', (name) => {
  it('leaves no trace of that, at whichever write it was', { timeout: 180_000 }, async () => {
    const reference = await episode(name);
    expect(reference.violations).toEqual([]);
    expect(reference.writes).toBeGreaterThan(1);
    const problems: string[] = [];
    for (let write = 1; write <= reference.writes; write++) {
      for (const when of ['crashBefore', 'crashAfter'] as const) {
        const outcome = await episode(name, { write, when });
        for (const problem of judge(outcome, reference)) {
          problems.push(`${when} write ${write} of ${reference.writes}: ${problem}`);
        }
      }
    }
    expect(problems).toEqual([]);
  });
});
