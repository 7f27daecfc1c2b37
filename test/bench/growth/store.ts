// The results of growth: a line for each size and number of processes, the newest in the place of
// the one before. Checked in; docs/sizing.md is made of them.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resultsFolder } from '../report/results.ts';
import type { Machine, Versions } from '../report/machine.ts';
import type { Growth } from './measure.ts';

export interface StoredGrowth {
  readonly cluster: 'embedded' | 'real';
  readonly commit: string;
  /** Day, UTC. */
  readonly date: string;
  readonly machine: Machine;
  readonly versions: Versions;
  readonly result: Growth;
}

const file = join(resultsFolder, 'growth.jsonl');

export const readGrowths = (): readonly StoredGrowth[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as StoredGrowth)
    : [];

export function storeGrowth(growth: StoredGrowth): void {
  const keyOf = ({ cluster, result }: StoredGrowth): string =>
    `${cluster} ${result.processes} ${result.pods}`;
  const others = readGrowths().filter((row) => keyOf(row) !== keyOf(growth));
  const all = [...others, growth].toSorted(
    (a, b) =>
      a.cluster.localeCompare(b.cluster) ||
      a.result.processes - b.result.processes ||
      a.result.pods - b.result.pods,
  );
  writeFileSync(file, all.map((row) => `${JSON.stringify(row)}\n`).join(''));
}
