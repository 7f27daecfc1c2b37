// What became of a mutant, and the file in .cache/mutate/ in which verdicts are kept, so that a run
// goes on where it was ended.
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { root } from '#test/support/source-copy.ts';

export interface Verdict {
  /** `timeout`: its tests did not end, which counts as killed; `unreached`: no test enters its
   *  block, which counts as survived. */
  readonly outcome: 'killed' | 'timeout' | 'survived' | 'unreached';
  /** The test that failed. */
  readonly by?: string;
  /** Of the tests that it survived, with all that they load. */
  readonly tests?: string;
}

export const isKilled = ({ outcome }: Verdict): boolean =>
  outcome === 'killed' || outcome === 'timeout';

/** One that is killed stays killed as long as its lines are there; one that survived is judged
 *  again where a test has changed. */
export class KeptVerdicts {
  readonly #file: string;
  readonly #verdicts: Map<string, Verdict>;

  private constructor(file: string, verdicts: Map<string, Verdict>) {
    this.#file = file;
    this.#verdicts = verdicts;
  }

  static read(file = join(root, '.cache/mutate/verdicts.json')): KeptVerdicts {
    try {
      const read: Record<string, Verdict> = JSON.parse(readFileSync(file, 'utf8'));
      return new KeptVerdicts(file, new Map(Object.entries(read)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return new KeptVerdicts(file, new Map());
    }
  }

  /** `tests`: what the tests are like now. */
  get(id: string, tests: string): Verdict | undefined {
    const verdict = this.#verdicts.get(id);
    if (verdict === undefined) return undefined;
    return isKilled(verdict) || verdict.tests === tests ? verdict : undefined;
  }

  async keep(id: string, verdict: Verdict): Promise<void> {
    this.#verdicts.set(id, verdict);
    await mkdir(dirname(this.#file), { recursive: true });
    await writeFile(this.#file, JSON.stringify(Object.fromEntries(this.#verdicts), null, 1));
  }
}
