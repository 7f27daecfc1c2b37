// The bundle of an earlier version, built from the history of this checkout: the newest tag of a
// release, or until there is one the commit that docs/versions.md names. Used by the test of
// upgrades.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '#test/support/source-copy.ts';

const run = promisify(execFile);
const maxArchive = 512 * 1_048_576;

const git = async (...words: readonly string[]): Promise<string> =>
  (await run('git', words, { cwd: root })).stdout.trim();

/** Its name for Git; or why there is none. */
export type Earlier = { readonly commit: string } | { readonly missing: string };

export async function findEarlier(): Promise<Earlier> {
  const page = readFileSync(join(root, 'docs/versions.md'), 'utf8');
  const named = /commit `([0-9a-f]{40})`/.exec(page)?.[1];
  try {
    const tags = await git('tag', '--list', 'v*', '--sort=-version:refname', '--merged');
    const commit = tags.split('\n').find(Boolean) ?? named;
    if (commit === undefined) return { missing: 'docs/versions.md names no earlier commit' };
    await git('cat-file', '-e', `${commit}^{commit}`);
    return { commit };
  } catch {
    return { missing: 'no history of the earlier version: this is no whole clone' };
  }
}

/** Bundles it below `folder`, with the packages of today; resolves with the entry of its command
 *  line. */
export async function bundleEarlier(commit: string, folder: string): Promise<string> {
  const place = join(folder, 'earlier');
  mkdirSync(place);
  const archive = join(folder, 'earlier.tar');
  await run('git', ['archive', '--output', archive, commit], { cwd: root, maxBuffer: maxArchive });
  await run('tar', ['-xf', archive, '-C', place]);
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'));
  return bundled(place);
}

/** The same of these sources. */
export const bundleOurs = (folder: string): Promise<string> => bundled(root, join(folder, 'ours'));

async function bundled(place: string, to = join(place, 'dist')): Promise<string> {
  const module = join(place, 'src/bundle/build.ts');
  const program = `const { bundle } = await import(${JSON.stringify(module)});
    console.log(await bundle(${JSON.stringify(to)}));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: place,
  });
  const entry = stdout.trim().split('\n').at(-1) ?? '';
  if (!existsSync(entry)) throw new Error(`no bundle of ${place}: ${stdout}`);
  return entry;
}
