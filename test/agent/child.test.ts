// What is told of a process, also of one that cannot be started.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { spawnChild } from '#src/agent/child.ts';

const source = new URL('../../src/agent/child.ts', import.meta.url).href;

/** In a process whose descriptors may run out: starts the command after `before`, says how it
 *  ended, and resolves with all that was said. */
async function startsAfter(before: string, ...command: readonly string[]): Promise<string> {
  const script =
    `import { openSync } from 'node:fs'; import { spawnChild } from '${source}'; ${before};` +
    `spawnChild(${JSON.stringify(command)})({ line: console.log, ended: console.log });`;
  const words = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath];
  const options = ['--no-warnings', '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)('/bin/sh', [...words, ...options]);
  return stdout;
}

describe('a child process', () => {
  it('tells its lines and its end', async () => {
    const said = await startsAfter('', '/bin/sh', '-c', 'echo a; echo b >&2; exit 3');
    expect(said.trim().split('\n').toSorted()).toEqual(['a', 'b', 'code 3']);
  });

  it('that cannot be started for want of descriptors has ended', async () => {
    const before = "try { for (;;) openSync('/dev/null'); } catch {}";
    expect(await startsAfter(before, '/bin/true')).toContain('EMFILE');
  });

  it('that Node refuses to start has ended, a moment later', async () => {
    const said: string[] = [];
    const ended = new Promise<string>((resolve) => {
      const start = spawnChild(['no\0program']);
      const { signal } = start({ line: () => {}, ended: resolve });
      signal('SIGTERM');
      said.push('started');
    });
    expect(said).toEqual(['started']);
    expect(await ended).toContain('null bytes');
  });
});
