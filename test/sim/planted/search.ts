// Shows that the simulator finds bugs: plants each of them in a copy of the sources and runs seeds
// there until one fails. `npm run sim -- --planted [--only <id>]` keeps the first seeds in
// planted/found.json; CI runs these alone (planted.test.ts).
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { cliqueDay } from '../cliques/run.ts';
import { type Kind, kinds } from '../kinds.ts';
import { poolDay } from '../pools/run.ts';
import { type Report, simulate } from '../run.ts';
import { type PlantedBug, plantedBugs } from './bugs.ts';
import { PlantedCopy } from './copy.ts';

/** Searched apart from each other, so that one lucky seed says nothing. */
const starts = [1, 1_001, 2_001] as const;
const table = fileURLToPath(new URL('found.json', import.meta.url));

/** The first seed of each range that finds the bug, by its id; null: none did. */
export type Found = Readonly<Record<string, readonly (number | null)[]>>;

/** How many seeds it took, at the median of the ranges. */
export const medianOf = (found: readonly (number | null)[]): number =>
  found
    .map((seed, index) => (seed === null ? Infinity : seed - (starts[index] ?? 0) + 1))
    .toSorted((a, b) => a - b)[1] ?? Infinity;

/** Searches each bug anew, keeps what it found in the table, and is true when all were found at the
 *  median. `only`: one of them, by id. */
export async function findPlanted(seeds: number, only: string | undefined): Promise<boolean> {
  const wanted = plantedBugs.filter(({ id }) => only === undefined || id === only);
  if (wanted.length === 0) {
    const known = plantedBugs.map(({ id }) => id).join(', ');
    throw new Error(`there is no planted bug "${only}"; there are: ${known}`);
  }
  const rest = [...wanted];
  let count = 0;
  const work = async (): Promise<void> => {
    const copy = await PlantedCopy.make();
    try {
      for (let bug = rest.shift(); bug !== undefined; bug = rest.shift()) {
        const found = await search(copy, bug, seeds);
        const median = medianOf(found);
        if (median <= seeds) count++;
        await keep(bug.id, found);
        console.log(`planted ${bug.id}: found by ${found.join(', ')}, median ${median} seeds`);
      }
    } finally {
      await copy.remove();
    }
  };
  const workers = Math.min(2, availableParallelism(), wanted.length);
  await Promise.all(Array.from({ length: workers }, work));
  console.log(`planted ${wanted.length} found ${count}`);
  return count === wanted.length;
}

async function keep(id: string, found: readonly (number | null)[]): Promise<void> {
  const before: Found = JSON.parse(await readFile(table, 'utf8').catch(() => '{}'));
  const rows = Object.entries({ ...before, [id]: found }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const lines = rows.map(([key, seeds]) => `  "${key}": [${seeds.map(String).join(', ')}]`);
  await writeFile(table, `{\n${lines.join(',\n')}\n}\n`);
}

async function search(
  copy: PlantedCopy,
  bug: PlantedBug,
  seeds: number,
): Promise<readonly (number | null)[]> {
  const found: (number | null)[] = [];
  for (const start of starts) found.push(await firstIn(copy, bug, start, start + seeds - 1));
  return found;
}

/** A seed that fails without the bug shows nothing. */
async function firstIn(
  copy: PlantedCopy,
  bug: PlantedBug,
  from: number,
  last: number,
): Promise<number | null> {
  const range = ['--from', String(from), '--seeds', String(last - from + 1), '--first'];
  const [seed] = await failing(copy, bug, range);
  if (seed === undefined) return null;
  const { violations } = await dayOf(worldOf(bug), seed);
  if (violations.length === 0) return seed;
  return seed < last ? firstIn(copy, bug, seed + 1, last) : null;
}

export type PlantedWorld = Kind | 'cliques' | 'pools';

export const worldOf = ({ world }: PlantedBug): PlantedWorld => world ?? 'plain';

/** Without the bug. */
export function dayOf(world: PlantedWorld, seed: number): Promise<Report> {
  if (world === 'cliques') return cliqueDay(seed);
  return world === 'pools' ? poolDay(seed) : simulate(seed, kinds[world]);
}

/** Which of these seeds find the bug. */
export const findersOf = (
  copy: PlantedCopy,
  bug: PlantedBug,
  seeds: readonly number[],
): Promise<readonly number[]> => failing(copy, bug, ['--seed', seeds.join(',')]);

/** What each of these seeds finds wrong first. */
export async function violationsBy(
  copy: PlantedCopy,
  bug: PlantedBug,
  seeds: readonly number[],
): Promise<readonly string[]> {
  const text = await outputOf(copy, bug, ['--seed', seeds.join(',')]);
  return [...text.matchAll(/^seed \d+ FAILED.*\n {2}(.*)/gm)].map(([, first = '']) => first);
}

async function failing(
  copy: PlantedCopy,
  bug: PlantedBug,
  range: readonly string[],
): Promise<readonly number[]> {
  const text = await outputOf(copy, bug, range);
  return [...text.matchAll(/^seed (\d+) FAILED/gm)].map(([, seed]) => Number(seed));
}

async function outputOf(
  copy: PlantedCopy,
  bug: PlantedBug,
  range: readonly string[],
): Promise<string> {
  const flags = bug.world === undefined ? [] : [`--${bug.world}`];
  const text = await copy.simulate(bug, [...range, '--brief', ...flags]);
  if (!/^seeds \d+ passed/m.test(text)) {
    throw new Error(`the run with ${bug.id} broke: ${text.slice(-2_000)}`);
  }
  return text;
}
