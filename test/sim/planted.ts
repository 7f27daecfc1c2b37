// Shows that the simulator finds bugs: applies each planted one to a copy of the sources, runs
// seeds there until one fails, and removes the copy. `npm run sim -- --planted [--only <id>]`.
import { spawn } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PlantedBug, plantedBugs } from './planted/bugs.ts';

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

/** Says of each bug which seed found it; true when all were found. `only`: one of them, by id. */
export async function findPlanted(seeds: number, only: string | undefined): Promise<boolean> {
  const wanted = plantedBugs.filter(({ id }) => only === undefined || id === only);
  if (wanted.length === 0) {
    const known = plantedBugs.map(({ id }) => id).join(', ');
    throw new Error(`there is no planted bug "${only}"; there are: ${known}`);
  }
  const rest = [...wanted];
  let found = 0;
  const work = async (): Promise<void> => {
    for (let bug = rest.shift(); bug !== undefined; bug = rest.shift()) {
      const by = await find(bug, seeds);
      if (by !== undefined) found++;
      const where = by === undefined ? `NOT FOUND within ${seeds} seeds` : `found by ${by}`;
      console.log(`planted ${bug.id} (${bug.file}: ${bug.description}): ${where}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
  console.log(`planted ${wanted.length} found ${found}`);
  return found === wanted.length;
}

/** `seed <n>: <first violation>`; undefined where every seed passed. */
async function find(bug: PlantedBug, seeds: number): Promise<string | undefined> {
  const copy = await mkdtemp(join(tmpdir(), 'coppice-planted-'));
  try {
    for (const source of sources) {
      await cp(join(root, source), join(copy, source), { recursive: true });
    }
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
    const patch = join(root, 'test/sim/planted', `${bug.id}.patch`);
    const applied = await run(copy, 'git', ['apply', patch]);
    if (applied.code !== 0) throw new Error(`${bug.id}.patch does not apply: ${applied.text}`);
    const world = bug.world === undefined ? [] : [bug.world];
    const simulate = ['test/sim/main.ts', '--seeds', String(seeds), '--first', ...world];
    const { code, text } = await run(copy, process.execPath, simulate);
    if (code === 0) return undefined;
    const failure = /^seed (\d+) FAILED.*\n {2}(.*)$/m.exec(text);
    if (failure === null) throw new Error(`the run with ${bug.id} broke: ${text.slice(-2_000)}`);
    return `seed ${failure[1]}: ${failure[2]?.slice(0, 200)}`;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
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
