// What is measured: the bundle that the image ships (decision 0008) and the flags that the image
// gives to Node, of the files as they are or of any commit. A commit is unpacked and bundled by its
// own recipe, so that one harness measures commits that are older than itself.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { bundle } from '#src/bundle/build.ts';
import * as launch from '#src/launch/flags.mjs';
import { prepare } from '#src/launch/install.mjs';

const run = promisify(execFile);

const root = fileURLToPath(new URL('../../', import.meta.url));
/** A tree of sources is larger than what Node takes from a child by default. */
const maxBuffer = 1 << 28;

export interface Product {
  /** Of the commit in full; with a `+` behind it where files differ from it. */
  readonly commit: string;
  /** The file that Node runs. */
  readonly bundle: string;
  readonly start: NodeStart;
}

/** What its image gives to Node. */
interface NodeStart {
  readonly nodeFlags: readonly string[];
  /** Absent in commits of before there were any. */
  readonly nodeEnvironment?: Readonly<Record<string, string>>;
}

/** The files as they are, by this word where a commit is asked for. */
export const asItIs = '.';

let current: Promise<Product> | undefined;

/** Bundled once, so that all runs of one command measure the same whatever is edited meanwhile. */
export const thisProduct = (): Promise<Product> => (current ??= bundleThis());

async function bundleThis(): Promise<Product> {
  return { commit: await thisCommit(), bundle: await bundle(temporary()), start: launch };
}

/** What the bundle is made of. */
const productPaths = ['machines', 'actors', 'bus', 'src', 'package-lock.json'];

/** Where this is no checkout of git: `unknown`. */
export async function thisCommit(): Promise<string> {
  try {
    const commit = await git('rev-parse', 'HEAD');
    const changed = await git('status', '--porcelain', '--', ...productPaths);
    return changed === '' ? commit : `${commit}+`;
  } catch {
    return 'unknown';
  }
}

/** `revision`: anything that git takes for a commit, or `asItIs`. Rejects with a sentence where it
 *  cannot be had. */
export async function productOf(revision: string): Promise<Product> {
  if (revision === asItIs) return thisProduct();
  const commit = await commitOf(revision);
  const folder = temporary();
  const archive = join(folder, 'sources.tar');
  await git('archive', '--format=tar', `--output=${archive}`, commit);
  await run('tar', ['-x', '-f', archive, '-C', folder]);
  rmSync(archive);
  const node = providePackages(folder);
  const recipe = join(folder, 'src', 'bundle', 'build.ts');
  if (!existsSync(recipe)) throw new Error(`${revision} has no src/bundle/build.ts to bundle it`);
  const { stdout } = await run(node, [recipe], { cwd: folder, maxBuffer });
  const entry = stdout.trim().split('\n').at(-1) ?? '';
  return { commit, bundle: entry, start: await startOf(folder) };
}

async function commitOf(revision: string): Promise<string> {
  try {
    return await git(
      'rev-parse',
      '--verify',
      '--quiet',
      '--end-of-options',
      `${revision}^{commit}`,
    );
  } catch {
    throw new Error(`"${revision}" is no commit of this repository`);
  }
}

/** The packages of this checkout where the commit locks the same, else its own. Returns the Node
 *  that runs its tools. */
function providePackages(folder: string): string {
  const lock = (place: string): string => readFileSync(join(place, 'package-lock.json'), 'utf8');
  if (lock(folder) !== lock(root)) return prepare(folder).path;
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return process.execPath;
}

/** As its own image has them; as ours before they had a file of their own. */
async function startOf(folder: string): Promise<NodeStart> {
  const file = join(folder, 'src', 'launch', 'flags.mjs');
  return existsSync(file) ? ((await import(pathToFileURL(file).href)) as NodeStart) : launch;
}

const git = async (...args: readonly string[]): Promise<string> =>
  (await run('git', args, { cwd: root, maxBuffer })).stdout.trim();

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-bench-bundle-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
