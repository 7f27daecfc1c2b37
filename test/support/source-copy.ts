// A copy of sources in a temporary folder, in which a file is changed and put back while the
// checkout stays as it is. Used by the planted bugs of the simulator and by `npm run mutate`.
import { spawn } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface CommandResult {
  readonly code: number | null;
  /** Of both streams. */
  readonly text: string;
}

export class SourceCopy {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Of the files and folders that are named, from the root. Whoever makes it removes it. */
  static async make(name: string, sources: readonly string[]): Promise<SourceCopy> {
    const folder = await mkdtemp(join(tmpdir(), `coppice-${name}-`));
    for (const source of sources) {
      await cp(join(root, source), join(folder, source), { recursive: true });
    }
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    return new SourceCopy(folder);
  }

  async remove(): Promise<void> {
    // A process that was killed may leave a file behind while this goes on.
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async apply(patch: string, ...flags: readonly string[]): Promise<void> {
    const { code, text } = await this.run('git', ['apply', ...flags, patch]);
    if (code !== 0) throw new Error(`${patch} does not apply: ${text}`);
  }

  run(command: string, args: readonly string[]): Promise<CommandResult> {
    return new Promise((resolve, reject) => {
      const env = {
        ...process.env,
        // Git must take the folder for no part of a repository, else it applies nothing and is
        // content.
        GIT_CEILING_DIRECTORIES: tmpdir(),
        NODE_COMPILE_CACHE: join(this.folder, '.compiled'),
      };
      const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
      const child = spawn(command, args, { cwd: this.folder, env, stdio });
      let text = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      }
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, text }));
    });
  }
}
