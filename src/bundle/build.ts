// `npm run build`: bundles the controller and its command line into dist/, as the image ships it,
// the inspector's page, and the clique agent and the plugin of kubectl, each apart from the others.
// A start then reads a handful of files instead of several hundred and strips no types: a third of
// the memory and half of the CPU time of a start from the sources.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type OutputBundle } from 'rolldown';
import { buildPage } from '#src/inspector/page/build.ts';
import { isOfClientNode, lean } from './lean.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Bundles into `folder` (default: dist/ of the project); returns the path of the entry. */
export async function bundle(folder = join(root, 'dist')): Promise<string> {
  const bin = join(folder, 'bin');
  const entry = await bundleController(folder);
  await bundleOne('clique-agent', join(root, 'src', 'clique-agent.ts'), bin, false);
  writeFileSync(join(bin, 'clique-agent'), agentScript, { mode: 0o755 });
  await bundlePlugin(folder, bin);
  return entry;
}

/** What an image has of it: the controller with all commands, and the inspector's page. */
export async function bundleController(folder: string): Promise<string> {
  const bin = join(folder, 'bin');
  const worker = join(root, 'src', 'activator', 'workers', 'thread.ts');
  await bundleAll({ coppice: join(root, 'src', 'main.ts'), 'activator-worker': worker }, bin, true);
  // Where the inspector looks for its page.
  await buildPage(join(folder, 'page'));
  mkdirSync(folder, { recursive: true });
  // main.ts reads the version from the folder above its own.
  copyFileSync(join(root, 'package.json'), join(folder, 'package.json'));
  return join(bin, 'coppice.mjs');
}

/**
 * The agent as one word, as probes call the first word of its command with `check`. One runs on
 * every node of a domain: code that is not compiled and a small heap save 4 MB each.
 */
const agentScript = `#!/bin/sh
exec node --lite-mode --max-semi-space-size=1 "$(dirname "$(readlink -f "$0")")/clique-agent.mjs" "$@"
`;

/**
 * The plugin apart from the rest, as kubectl takes everything on PATH whose name begins so for one.
 * It looks for two programs: the plugin, and what completes its command line.
 */
async function bundlePlugin(folder: string, bin: string): Promise<void> {
  const place = join(folder, 'plugin');
  await bundleOne('kubectl-coppice', join(root, 'src', 'kubectl-coppice.ts'), place, true);
  writeFileSync(join(place, 'kubectl_complete-coppice.mjs'), completing, { mode: 0o755 });
  for (const name of ['kubectl-coppice', 'kubectl_complete-coppice']) {
    writeFileSync(join(bin, name), scriptFor(name), { mode: 0o755 });
  }
}

const completing = `#!/usr/bin/env node
process.argv.splice(2, 0, '__complete');
await import('./kubectl-coppice.mjs');
`;

const scriptFor = (name: string): string => `#!/bin/sh
exec node "$(dirname "$(readlink -f "$0")")/../plugin/${name}.mjs" "$@"
`;

/** One entry with the chunks that it alone loads. */
const bundleOne = (name: string, file: string, dir: string, cleanDir: boolean) =>
  bundleAll({ [name]: file }, dir, cleanDir);

/** Entries by name, with the chunks that they load. */
export async function bundleAll(
  input: Readonly<Record<string, string>>,
  dir: string,
  cleanDir: boolean,
): Promise<void> {
  await build({
    input,
    platform: 'node',
    logLevel: 'warn',
    // Of client-node only what reads kubeconfigs is used: the rest, a class for each kind of
    // Kubernetes, goes where loading it has no effect of its own.
    treeshake: { moduleSideEffects: (id) => !isOfClientNode(id) },
    plugins: [lean, { name: 'ascii', generateBundle: (_options, files) => escapeIn(files) }],
    output: {
      dir,
      comments: { legal: true, annotation: false, jsdoc: false },
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
      cleanDir,
    },
  });
}

/** A source with one character beyond Latin-1 takes twice the memory for as long as the process
 *  lives, as V8 keeps its text. */
function escapeIn(files: OutputBundle): void {
  for (const file of Object.values(files)) {
    if (file.type !== 'chunk') continue;
    file.code = file.code.replaceAll(
      /[^\0-\x7f]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  }
}

async function main(args: readonly string[]): Promise<number> {
  const [executable, release, url, ...more] = args;
  if (executable === '--krew' && release !== undefined) {
    const { joinedManifest } = await import('./krew.ts');
    const texts = args.slice(1).map((file) => readFileSync(file, 'utf8'));
    process.stdout.write(joinedManifest(texts));
    return 0;
  }
  const isRight =
    args.length === 0 ||
    (executable === '--executable' &&
      (release === undefined || release === '--release') &&
      (release === undefined || URL.canParse(url ?? '')) &&
      more.length === 0);
  if (!isRight) {
    const given = args.join(' ');
    process.stderr.write(
      `build: ${given}: there is --executable, then --release URL; and --krew FILES\n`,
    );
    return 2;
  }
  process.stdout.write(`${await bundle()}\n`);
  if (executable === undefined) return 0;
  const { makeExecutable } = await import('./executable.ts');
  for (const file of await makeExecutable(join(root, 'dist'), url)) {
    process.stdout.write(`${file}\n`);
  }
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.slice(2));
}
