// The text of a golden trace: what all seeds share is written once, and where they differ, each way
// under its seeds. Seeds are compared step by step, since the same may take a second longer in one
// of them. Used by golden.test.ts, and by that of warm pools.
import type { Moment } from './record.ts';

const indent = ' '.repeat(12);

/** What a scenario was with one seed. */
interface Played {
  readonly moments: readonly Moment[];
  /** What there is in the end. */
  end(): readonly string[];
}

/** One run for each seed, from 1. */
export function textOf(about: string, runs: readonly Played[]): string {
  const longest = Math.max(...runs.flatMap(({ moments }) => moments.map(({ acts }) => acts)));
  const stages = Array.from({ length: longest + 1 }, (_, acts) =>
    runs.map(({ moments }) => moments.filter((moment) => moment.acts === acts)),
  );
  const blocks = stages.flatMap((stage) =>
    Array.from({ length: Math.max(...stage.map(({ length }) => length)) }, (_, step) =>
      blockOf(stage.map((moments) => moments[step])),
    ),
  );
  const end = ways(runs.map((run) => run.end()));
  return `${about}\nSeeds 1 to ${runs.length}.\n\n${blocks.join('')}${'end'.padEnd(12)}${end}`;
}

function blockOf(moments: readonly (Moment | undefined)[]): string {
  const seconds = moments.flatMap((moment) => (moment === undefined ? [] : [moment.second]));
  const [first, last] = [Math.min(...seconds), Math.max(...seconds)];
  const when = first === last ? `${first} s` : `${first} to ${last} s`;
  return `${when.padEnd(12)}${ways(moments.map((moment) => moment?.lines ?? ['nothing']))}`;
}

function ways(linesOfSeeds: readonly (readonly string[])[]): string {
  const seeds = new Map<string, number[]>();
  for (const [place, lines] of linesOfSeeds.entries()) {
    const text = lines.map((line) => `${indent}${line}\n`).join('');
    seeds.set(text, [...(seeds.get(text) ?? []), place + 1]);
  }
  const [only] = seeds.keys();
  if (seeds.size === 1) return (only ?? '').trimStart();
  const each = [...seeds].map(([text, own]) => `${indent}seeds ${own.join(', ')}:\n${text}`);
  return each.join('').trimStart();
}
