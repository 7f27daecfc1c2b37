// A fact as a line for people, and a line of a pipe as one where it is a fact. For `coppice tail`
// and `coppice fmt`.
import type { FactRow } from '#src/inspector/protocol.ts';
import { factText, paintFact, readFact, timeText } from '#src/plugin/facts.ts';
import type { Paint } from '#src/plugin/show/paint.ts';
import { oneLine } from '#src/plugin/show/table.ts';

/** Longer lines are no facts (bus/limits.ts) and are cut. */
const longestLine = 262_144;

export function factLine(fact: FactRow, paint: Paint): string {
  const { at, about, trace } = fact;
  const said = `${oneLine(about)} ${factText(fact)}`;
  return `${paint.faint(timeText(at))} ${paintFact(fact, paint)(said)} ${paint.faint(oneLine(trace))}`;
}

/** What is no fact is passed on, without what a terminal would obey; undefined: an empty line. */
export function formatLine(line: string, paint: Paint): string | undefined {
  if (line.trim() === '') return undefined;
  const fact = line.startsWith('{') && line.length <= longestLine ? factIn(line) : undefined;
  return fact === undefined ? oneLine(line).slice(0, longestLine) : factLine(fact, paint);
}

function factIn(line: string): FactRow | undefined {
  try {
    return readFact(JSON.parse(line));
  } catch {
    return undefined;
  }
}
