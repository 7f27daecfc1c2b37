// Every shell block of "get started" and of the tasks, as a reader runs it: one shell for each
// page, on the embedded cluster that `npm start` brings. A page leaves nothing behind for the next.
// Two blocks are not run by the shell: `npm start` stays, so it is a process of this test on free
// ports, and `npm run build` would write into the checkout, so it bundles beside it.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { globSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '#src/bundle/build.ts';
import { natsSkip } from '#test/support/nats.ts';
import { without } from '#test/support/tools.ts';
import { root } from '#test/tidy/sources.ts';
import { DevStage } from '../process/dev-stage.ts';
import { type Block, shellBlocks } from './blocks.ts';

const first = 'docs/get-started.md';
const pages = [first, ...globSync('docs/tasks/*.md', { cwd: root }).toSorted()];
const skip = natsSkip === '' ? without('kubectl') : natsSkip;
const stage = new DevStage();

/** A shell that stays, so that what one block exports the next one has. */
class Shell {
  readonly #bash: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #said: string[] = [];

  constructor(folder: string) {
    const path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
    this.#bash = spawn('bash', ['--norc'], {
      cwd: folder,
      env: { PATH: path, HOME: folder, NO_COLOR: '1' },
    });
    this.#bash.stderr.on('data', (chunk) => this.#said.push(String(chunk)));
    const lines = createInterface({ input: this.#bash.stdout });
    this.#lines = lines[Symbol.asyncIterator]();
  }

  /** Runs a block up to the first command that fails; what it said, and the exit code. */
  async run({ text }: Block): Promise<{ readonly code: number; readonly said: string }> {
    const end = 'end of the block';
    // In the shell itself, as what is exported must stay; so a failure ends the shell.
    this.#bash.stdin.write(`trap 'echo "${end} $?"' EXIT\nset -e\n${text}\necho "${end} 0"\n`);
    const lines: string[] = [];
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done === true) return { code: -1, said: lines.join('\n') };
      const [, code] = new RegExp(`^${end} (\\d+)$`).exec(value) ?? [];
      if (code !== undefined) {
        return { code: Number(code), said: [...lines, ...this.#said.splice(0)].join('\n') };
      }
      lines.push(value);
    }
  }

  end(): void {
    this.#bash.kill('SIGKILL');
  }
}

const elsewhere = ['npm start\n', 'npm run build\n'];

describe.skipIf(skip !== '')(`The shell blocks${skip}`, () => {
  beforeAll(async () => {
    // Samples are named from the root of the checkout.
    symlinkSync(join(root, 'charts'), join(stage.folder, 'charts'));
    const program = stage.dev('.coppice', {});
    await Promise.all([program.line(/^ready after/), bundle(join(stage.folder, 'dist'))]);
  });
  afterAll(() => stage.end());

  test.each(pages)('of %s run from the first to the last', async (page) => {
    const shell = new Shell(stage.folder);
    try {
      const set = `export KUBECONFIG=$PWD/.coppice/kubeconfig PATH=$PWD/dist/bin:$PATH`;
      if (page !== first) await shell.run({ line: 0, text: set });
      const blocks = shellBlocks(page).filter(({ text }) => !elsewhere.includes(text));
      expect(blocks.length).toBeGreaterThan(4);
      for (const block of blocks) {
        const { code, said } = await shell.run(block);
        expect({ code, said: code === 0 ? '' : said }, `${page}:${block.line}`).toEqual({
          code: 0,
          said: '',
        });
      }
    } finally {
      shell.end();
    }
  });

  test('of "get started" begin with what brings the cluster', () => {
    const texts = shellBlocks(first).map(({ text }) => text);
    expect(texts[0]).toBe('npm start\n');
    expect(texts.filter((text) => elsewhere.includes(text))).toEqual(elsewhere);
  });
});
