// A copy of the sources into which one bug at a time is planted and taken out again, so that what
// node has compiled serves all of them. Used by search.ts and planted.test.ts.
import { join } from 'node:path';
import { root, SourceCopy } from '#test/support/source-copy.ts';
import type { PlantedBug } from './bugs.ts';

/** All that a simulation reads. */
const sources = [
  'actors',
  'bus',
  'charts/coppice/charts',
  'machines',
  'package.json',
  'src',
  'test/admission',
  'test/sim',
  'test/support',
];

export class PlantedCopy {
  readonly #copy: SourceCopy;

  private constructor(copy: SourceCopy) {
    this.#copy = copy;
  }

  /** Whoever makes it removes it. */
  static async make(): Promise<PlantedCopy> {
    return new PlantedCopy(await SourceCopy.make('planted', sources));
  }

  remove(): Promise<void> {
    return this.#copy.remove();
  }

  /** Runs the simulator with these arguments and the bug; both streams of it. */
  async simulate({ id }: PlantedBug, args: readonly string[]): Promise<string> {
    const patch = join(root, 'test/sim/planted', `${id}.patch`);
    await this.#copy.apply(patch);
    try {
      const { text } = await this.#copy.run(process.execPath, ['test/sim/main.ts', ...args]);
      return text;
    } finally {
      await this.#copy.apply(patch, '--reverse');
    }
  }
}
