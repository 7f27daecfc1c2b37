// Work for each core: as many copies of the sources as there are cores, or as are asked for, each
// with a process of its own, take what is left one after the other. All of them go when the work is
// done.
import { availableParallelism } from 'node:os';
import type { RunnerOptions } from './runner.ts';
import { Tree } from './tree.ts';

export async function inParallel<T>(
  all: readonly T[],
  options: RunnerOptions,
  work: (tree: Tree, one: T) => Promise<void>,
  most = availableParallelism(),
): Promise<void> {
  const left = [...all];
  const trees: Tree[] = [];
  const workOn = async (): Promise<void> => {
    const tree = await Tree.make(options);
    trees.push(tree);
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(tree, one);
  };
  try {
    const cores = Math.min(most, all.length);
    await Promise.all(Array.from({ length: cores }, workOn));
  } finally {
    await Promise.all(trees.map((tree) => tree.remove()));
  }
}
