// Every script of package.json says how it is used, and refuses a flag that it does not know.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exitCodes } from '#src/cli/commands.ts';
import { root } from '#test/tidy/sources.ts';

const manifest: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

/** Scripts that are the product's own command line: its exit codes are Grove's. */
const products: readonly string[] = ['start', 'coppice'];

function run(command: string, flag: string) {
  const [, , ...args] = command.split(' ');
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args, flag], {
    cwd: root,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe.each(Object.entries(manifest.scripts))('npm run %s', (name, command) => {
  test('prints its usage on --help', () => {
    const { status, stdout, stderr } = run(command, '--help');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^(?:Usage: npm (?:run )?|Coppice: .*\n\nUsage:)/);
  });

  test('refuses an unknown flag in one sentence', () => {
    const { status, stderr } = run(command, '--bogus');
    expect(status).toBe(products.includes(name) ? exitCodes.usage : 2);
    expect(stderr).toMatch(/--bogus/);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});
