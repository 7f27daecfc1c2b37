// `npm run bench -- report`: carries out the parts one after the other, stores each run as soon as
// it is there, and writes docs/benchmarks.md from all that is stored.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { thisProduct } from '../product.ts';
import { theseVersions, thisMachine } from './machine.ts';
import { benchmarksPage } from './page.ts';
import type { ReportCommand } from './parts.ts';
import { type PartName, plan, type PlannedRun } from './parts.ts';
import { forget, readPart, readResults, resultsFolder, store } from './results.ts';

export const pageFile = fileURLToPath(new URL('../../../docs/benchmarks.md', import.meta.url));

type Say = (line: string) => void;

/** Resolves with the exit code: 1 where a run failed. The page is written in any case. */
export async function report(command: ReportCommand, say: Say): Promise<number> {
  const folder = command.results === undefined ? resultsFolder : resolve(command.results);
  const page = command.results === undefined ? pageFile : join(folder, 'benchmarks.md');
  mkdirSync(folder, { recursive: true });
  let failures = 0;
  if (!command.fromResults) {
    for (const part of command.only) {
      failures += await runPart(part, command, folder, say);
      writeFileSync(page, benchmarksPage(readResults(folder)));
    }
  }
  writeFileSync(page, benchmarksPage(readResults(folder)));
  say(`wrote ${page}`);
  process.stdout.write(`${JSON.stringify({ parts: command.only, failures })}\n`);
  return failures === 0 ? 0 : 1;
}

/** The number of runs that failed. A part that is measured anew at the same commit keeps its
 *  results until the first run of the new ones is there. */
async function runPart(
  part: PartName,
  command: ReportCommand,
  folder: string,
  say: Say,
): Promise<number> {
  const { commit } = await thisProduct();
  const there = readPart(folder, part).filter((run) => run.commit === commit);
  const done = command.resume ? there.map(({ run }) => run) : [];
  const open = plan(part, command, say).filter(({ run }) => !done.includes(run));
  let stored = done.length;
  let failures = 0;
  for (const planned of open) {
    say(`\n${part}: run ${planned.run}`);
    try {
      const result = await planned.execute();
      if (stored === 0) forget(folder, part, commit);
      store(folder, storedRun(planned, commit, result, command.nodes));
      stored++;
    } catch (error) {
      failures++;
      say(
        `${part}: run ${planned.run} failed: ${String(error instanceof Error ? error.stack : error)}`,
      );
    }
  }
  return failures;
}

const storedRun = (
  { part, run }: PlannedRun,
  commit: string,
  result: Awaited<ReturnType<PlannedRun['execute']>>,
  nodes: number,
): Parameters<typeof store>[1] => ({
  part,
  run,
  commit,
  date: new Date().toISOString().slice(0, 10),
  machine: thisMachine(),
  versions: theseVersions(),
  nodes,
  result,
});
