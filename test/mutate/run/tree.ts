// A copy of the whole checkout with one process that runs tests in it, and at most one mutant at a
// time. Used by whatever runs mutants.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root, SourceCopy } from '#test/support/source-copy.ts';
import { applied, type Edit } from '../mutant.ts';
import { type Answer, type RunnerOptions, TestRunner } from './runner.ts';

/** What is made from the sources, or is no part of them. */
const without = ['.cache', '.coppice', '.git', 'coverage', 'dist', 'node_modules'];

/** Removed too where the process is ended before it is done. */
const open = new Set<Tree>();
process.on('exit', () => {
  for (const { runner, copy } of open) {
    runner.stop();
    rmSync(copy.folder, { recursive: true, force: true });
  }
});

export class Tree {
  readonly copy: SourceCopy;
  readonly runner: TestRunner;
  #changed: readonly string[] = [];

  private constructor(copy: SourceCopy, options: RunnerOptions) {
    this.copy = copy;
    this.runner = new TestRunner(copy.folder, options);
    open.add(this);
  }

  static async make(options: RunnerOptions): Promise<Tree> {
    const sources = readdirSync(root).filter((name) => !without.includes(name));
    return new Tree(await SourceCopy.make('mutate', sources), options);
  }

  async remove(): Promise<void> {
    this.runner.stop();
    open.delete(this);
    await this.copy.remove();
  }

  /** The source with these edits, of which none overlap, until `restore`. */
  async plant(file: string, ...edits: readonly Edit[]): Promise<void> {
    const text = edits
      .toSorted((a, b) => b.start - a.start)
      .reduce(applied, readFileSync(join(root, file), 'utf8'));
    await writeFile(join(this.copy.folder, file), text);
  }

  async restore(file: string): Promise<void> {
    await this.plant(file);
    this.#changed = [...this.#changed, file];
  }

  /** Runs tests with the edit; undefined: they took too long, or their process ended. */
  async judge(
    file: string,
    edit: Edit,
    tests: readonly string[],
    limitMs: number,
    title?: string,
  ): Promise<Answer | undefined> {
    await this.plant(file, edit);
    const changed = [...this.#changed, file];
    this.#changed = [];
    try {
      const about = title === undefined ? {} : { title };
      return await this.runner.run({ changed, tests, ...about }, limitMs);
    } finally {
      await this.restore(file);
    }
  }
}
