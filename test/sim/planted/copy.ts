// A copy of the sources into which one bug at a time is planted and taken out again, so that what
// node has compiled serves all of them. Used by search.ts and planted.test.ts.
import { spawn } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PlantedBug } from './bugs.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

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

interface Result {
  readonly code: number | null;
  readonly text: string;
}

export class SourceCopy {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whoever makes it removes it. */
  static async make(): Promise<SourceCopy> {
    const folder = await mkdtemp(join(tmpdir(), 'coppice-planted-'));
    for (const source of sources) {
      await cp(join(root, source), join(folder, source), { recursive: true });
    }
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    return new SourceCopy(folder);
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Runs the simulator with these arguments and the bug; both streams of it. */
  async simulate({ id }: PlantedBug, args: readonly string[]): Promise<string> {
    await this.#apply(id);
    try {
      const { text } = await this.#run(process.execPath, ['test/sim/main.ts', ...args]);
      return text;
    } finally {
      await this.#apply(id, '--reverse');
    }
  }

  async #apply(id: string, ...flags: readonly string[]): Promise<void> {
    const patch = join(root, 'test/sim/planted', `${id}.patch`);
    const { code, text } = await this.#run('git', ['apply', ...flags, patch]);
    if (code !== 0) throw new Error(`${id}.patch does not apply: ${text}`);
  }

  #run(command: string, args: readonly string[]): Promise<Result> {
    return new Promise((resolve, reject) => {
      const env = {
        ...process.env,
        // Git must take the folder for no part of a repository, else it applies nothing and is
        // content.
        GIT_CEILING_DIRECTORIES: tmpdir(),
        NODE_COMPILE_CACHE: join(this.#folder, '.compiled'),
      };
      const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
      const child = spawn(command, args, { cwd: this.#folder, env, stdio });
      let text = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      }
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, text }));
    });
  }
}
