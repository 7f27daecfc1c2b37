// Keeps those mutants that the compiler lets pass: the others are no bugs that could be made. Many
// are checked at once, at most one in each file, and the compiler remembers what did not change.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Source } from '#test/tidy/sources.ts';
import type { Mutant } from '../mutant.ts';
import { graphOf } from './graph.ts';
import type { Tree } from './tree.ts';

/** Drawn at a time. The same for each sample, so that a small one is the start of a large one. */
const batchSize = 54;

const config = 'tsconfig.mutate.json';

/** A guard that is dropped leaves names behind that nobody uses: no mistake of the mutant. */
const options = {
  extends: './tsconfig.json',
  compilerOptions: {
    incremental: true,
    tsBuildInfoFile: '.types',
    noUnusedLocals: false,
    noUnusedParameters: false,
    allowUnreachableCode: true,
  },
};

export async function* compiling(
  tree: Tree,
  sources: readonly Source[],
  drawn: Iterator<Mutant>,
): AsyncGenerator<Mutant> {
  await writeFile(join(tree.copy.folder, config), JSON.stringify(options));
  const graph = graphOf(sources, true);
  for (;;) {
    const batch: Mutant[] = [];
    for (let next = drawn.next(); ; next = drawn.next()) {
      if (next.done !== true) batch.push(next.value);
      if (next.done === true || batch.length === batchSize) break;
    }
    if (batch.length === 0) return;
    const good = new Set<Mutant>();
    for (const round of rounds(batch)) {
      for (const mutant of await passing(tree, round, graph.loadedBy)) good.add(mutant);
    }
    yield* batch.filter((mutant) => good.has(mutant));
  }
}

/** One of each file at a time. */
export function rounds(batch: readonly Mutant[]): readonly (readonly Mutant[])[] {
  const byFile = Object.values(Object.groupBy(batch, ({ file }) => file));
  const most = Math.max(...byFile.map((mutants = []) => mutants.length));
  return Array.from({ length: most }, (_, index) =>
    byFile.flatMap((mutants = []) => mutants[index] ?? []),
  );
}

/** Those of different files that compile together. */
async function passing(
  tree: Tree,
  round: readonly Mutant[],
  loadedBy: (path: string) => ReadonlySet<string>,
): Promise<readonly Mutant[]> {
  for (const mutant of round) await tree.plant(mutant.file, mutant);
  let left = round;
  try {
    for (;;) {
      const wrong = await wrongFiles(tree);
      if (wrong.size === 0) return left;
      const own = left.filter(({ file }) => wrong.has(file));
      // No mistake where it was made: what the files with errors load may have another type now.
      const suspects = left.filter(({ file }) =>
        [...wrong].some((path) => loadedBy(path).has(file)),
      );
      const out = own.length > 0 ? own : suspects;
      if (out.length === 0) throw new Error(`does not compile: ${[...wrong].join(', ')}`);
      for (const { file } of out) await tree.restore(file);
      left = left.filter((mutant) => !out.includes(mutant));
    }
  } finally {
    for (const { file } of left) await tree.restore(file);
  }
}

async function wrongFiles(tree: Tree): Promise<ReadonlySet<string>> {
  const { code, text } = await tree.copy.run(process.execPath, [
    'node_modules/typescript/bin/tsc',
    '--pretty',
    'false',
    '-p',
    config,
  ]);
  const wrong = new Set(
    [...text.matchAll(/^([^\s(]+)\(\d+,\d+\): error /gm)].map(([, file = '']) => file),
  );
  if (code !== 0 && wrong.size === 0) throw new Error(`tsc failed: ${text.slice(0, 2_000)}`);
  return wrong;
}
