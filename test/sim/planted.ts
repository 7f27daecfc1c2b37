// Shows that the simulator finds bugs: applies each planted one to a copy of the sources, runs
// seeds there until one fails, and removes the copy. `npm run sim -- --planted [--only <id>]` keeps
// the first seeds in planted/found.json; CI runs these alone (planted.test.ts).
import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kinds } from './kinds.ts';
import { type PlantedBug, plantedBugs } from './planted/bugs.ts';
import { simulate } from './run.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** All that a simulation reads. */
const sources = [
  'actors',
  'bus',
  'charts/coppice/crds',
  'machines',
  'package.json',
  'src',
  'test/admission',
  'test/sim',
  'test/support',
];

/** Searched apart from each other, so that one lucky seed says nothing. */
const starts = [1, 1_001, 2_001] as const;
const table = join(root, 'test/sim/planted/found.json');

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
    for (let bug = rest.shift(); bug !== undefined; bug = rest.shift()) {
      const found = await search(bug, seeds);
      const median = medianOf(found);
      if (median <= seeds) count++;
      await keep(bug.id, found);
      console.log(`planted ${bug.id}: found by ${found.join(', ')}, median ${median} seeds`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
  console.log(`planted ${wanted.length} found ${count}`);
  return count === wanted.length;
}

async function keep(id: string, found: readonly (number | null)[]): Promise<void> {
  const before: Found = JSON.parse(await readFile(table, 'utf8').catch(() => '{}'));
  const rows = Object.entries({ ...before, [id]: found }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const lines = rows.map(([key, seeds]) => `  "${key}": [${seeds.map(String).join(', ')}]`);
  await writeFile(table, `{\n${lines.join(',\n')}\n}\n`);
}

const search = (bug: PlantedBug, seeds: number): Promise<readonly (number | null)[]> =>
  planted(bug, async (copy) => {
    const found: (number | null)[] = [];
    for (const start of starts) found.push(await firstIn(copy, bug, start, start + seeds - 1));
    return found;
  });

/** A seed that fails without the bug shows nothing. */
async function firstIn(
  copy: string,
  bug: PlantedBug,
  from: number,
  last: number,
): Promise<number | null> {
  const range = ['--from', String(from), '--seeds', String(last - from + 1), '--first'];
  const [seed] = await failing(copy, bug, range);
  if (seed === undefined) return null;
  const { violations } = await simulate(seed, kinds[bug.world ?? 'plain']);
  if (violations.length === 0) return seed;
  return seed < last ? firstIn(copy, bug, seed + 1, last) : null;
}

/** Which of these seeds find the bug. */
export const findersOf = (bug: PlantedBug, seeds: readonly number[]): Promise<readonly number[]> =>
  planted(bug, (copy) => failing(copy, bug, ['--seed', seeds.join(',')]));

/** In a copy of the sources with the bug in it. */
async function planted<T>(bug: PlantedBug, use: (copy: string) => Promise<T>): Promise<T> {
  const copy = await mkdtemp(join(tmpdir(), 'coppice-planted-'));
  try {
    for (const source of sources) {
      await cp(join(root, source), join(copy, source), { recursive: true });
    }
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
    const patch = join(root, 'test/sim/planted', `${bug.id}.patch`);
    const applied = await run(copy, 'git', ['apply', patch]);
    if (applied.code !== 0) throw new Error(`${bug.id}.patch does not apply: ${applied.text}`);
    return await use(copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function failing(
  copy: string,
  { id, world }: PlantedBug,
  range: readonly string[],
): Promise<readonly number[]> {
  const flags = world === undefined ? [] : [`--${world}`];
  const { text } = await run(copy, process.execPath, ['test/sim/main.ts', ...range, ...flags]);
  if (!/^seeds \d+ passed/m.test(text)) {
    throw new Error(`the run with ${id} broke: ${text.slice(-2_000)}`);
  }
  return [...text.matchAll(/^seed (\d+) FAILED/gm)].map(([, seed]) => Number(seed));
}

interface Result {
  readonly code: number | null;
  readonly text: string;
}

/** Both streams of a command in the folder. */
function run(folder: string, command: string, args: readonly string[]): Promise<Result> {
  return new Promise((resolve, reject) => {
    // Git must take the folder for no part of a repository, else it applies nothing and is content.
    const env = { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() };
    const child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    }
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, text }));
  });
}
