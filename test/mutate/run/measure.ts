// Measures which blocks of the sources files of tests enter, in copies with probes. Used by
// reach.ts, which keeps the result.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isUnder, type Source } from '#test/tidy/sources.ts';
import { folders } from '../mutant.ts';
import { inParallel } from './parallel.ts';
import { blocksOf, setupWithProbes, withProbes } from './probes.ts';
import type { Tree } from './tree.ts';

/** Of vitest.config.ts: those of `npm test`. */
export const quickProjects = ['unit', 'system', 'simulated'];

/** So many files of tests run at a time: what one leaves behind, few others meet. */
const filesAtATime = 20;
const limitMs = 15 * 60_000;

/** Numbers of blocks by file. */
type Blocks = Readonly<Record<string, readonly number[]>>;

export interface Entered {
  readonly ms: number;
  /** It fails in a copy with probes, and judges nothing. */
  readonly isBroken: boolean;
  /** While modules load, which they do once for all files of tests in a process. */
  readonly loading: Blocks;
  readonly running: Blocks;
}

/** By file of tests. */
export async function measure(
  sources: readonly Source[],
  tests: readonly string[],
): Promise<Readonly<Record<string, Entered>>> {
  const probed = withFirstNumbers(sources);
  const heard = await mkdtemp(join(tmpdir(), 'coppice-reach-'));
  const chunks = Array.from({ length: Math.ceil(tests.length / filesAtATime) }, (_, index) =>
    tests.slice(index * filesAtATime, (index + 1) * filesAtATime),
  );
  const prepared = new WeakSet<Tree>();
  const entered: Record<string, Entered> = {};
  try {
    const options = { bail: 0, seed: 1, projects: quickProjects };
    await inParallel(chunks, options, async (tree, chunk) => {
      if (!prepared.has(tree)) await putProbes(tree.copy.folder, probed, heard);
      prepared.add(tree);
      const answer = await tree.runner.run({ changed: [], tests: chunk }, limitMs);
      for (const { path, ms, failed, passed } of answer?.files ?? []) {
        const isBroken = failed.length > 0 || passed === 0;
        entered[path] = { ms, isBroken, loading: {}, running: {} };
      }
    });
    const blocks = probed.flatMap(({ source: { path }, count }) =>
      Array.from({ length: count }, (_, number) => ({ path, number })),
    );
    for (const name of await readdir(heard)) {
      const told: Told = JSON.parse(await readFile(join(heard, name), 'utf8'));
      const path = Object.keys(entered).find((one) => told.filepath.endsWith(`/${one}`)) ?? '';
      const of = entered[path];
      if (of === undefined) continue;
      const loading = byFile(told.loading, blocks);
      entered[path] = { ...of, loading, running: byFile(told.running, blocks) };
    }
    return entered;
  } finally {
    await rm(heard, { recursive: true });
  }
}

/** As `setupWithProbes` writes it: numbers over all files. */
interface Told {
  readonly filepath: string;
  readonly loading: readonly number[];
  readonly running: readonly number[];
}

interface Probed {
  readonly source: Source;
  /** The number of its first block. */
  readonly first: number;
  readonly count: number;
}

function withFirstNumbers(sources: readonly Source[]): readonly Probed[] {
  let first = 0;
  return sources
    .filter(({ path }) => path.endsWith('.ts') && folders.some((folder) => isUnder(path, folder)))
    .map((source) => {
      const count = blocksOf(source).length;
      first += count;
      return { source, first: first - count, count };
    });
}

async function putProbes(folder: string, probed: readonly Probed[], heard: string): Promise<void> {
  for (const { source, first } of probed) {
    await writeFile(join(folder, source.path), withProbes(source, first));
  }
  const setup = join(folder, 'test/setup.ts');
  await writeFile(setup, (await readFile(setup, 'utf8')) + setupWithProbes(heard));
}

function byFile(
  numbers: readonly number[],
  blocks: readonly { readonly path: string; readonly number: number }[],
): Blocks {
  const found: Record<string, number[]> = {};
  for (const each of numbers) {
    const block = blocks[each];
    if (block !== undefined) (found[block.path] ??= []).push(block.number);
  }
  return found;
}
