// What each run leaves behind: `timeline.json` in a folder of its own, sorted by commit. It says on
// what, with what settings and where the run came about, and what each phase took; of a run that
// failed, how far it came and why.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Phase } from './harness.ts';
import { type Machine, theseVersions, thisMachine, type Versions } from './report/machine.ts';
import { writes } from './requests.ts';

/** Where runs go unless told otherwise. */
export const runsFolder = fileURLToPath(new URL('../../.cache/bench', import.meta.url));

export interface Timeline {
  readonly benchmark: string;
  readonly commit: string;
  /** RFC 3339, UTC, of the start. */
  readonly date: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly machine: Machine;
  readonly versions: Versions;
  readonly phases: readonly (Phase & { readonly writes: number })[];
  readonly error?: string;
}

export type RunIs = Pick<Timeline, 'benchmark' | 'commit' | 'settings'>;

/** The folder of one run, made when it begins. */
export class RunFolder {
  readonly path: string;
  readonly #is: RunIs;
  readonly #date = new Date().toISOString();

  constructor(root: string, is: RunIs) {
    this.#is = is;
    const time = this.#date.replaceAll(':', '.');
    this.path = join(root, is.commit.slice(0, 12), `${time}-${is.benchmark}`);
    mkdirSync(this.path, { recursive: true });
  }

  write(phases: readonly Phase[], error?: unknown): void {
    const timeline: Timeline = {
      ...this.#is,
      date: this.#date,
      machine: thisMachine(),
      versions: theseVersions(),
      phases: phases.map((phase) => ({ ...phase, writes: writes(phase.requests) })),
      ...(error === undefined ? {} : { error: String(error) }),
    };
    writeFileSync(join(this.path, 'timeline.json'), `${JSON.stringify(timeline, null, 2)}\n`);
  }
}
