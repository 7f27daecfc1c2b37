// Builds the inspector's page into a folder: scripts and styles with their hash in the name, each
// compressed beside it, and a manifest. Called by `npm run build`, by `coppice dev` at its start
// and by tests; what was built from the same sources is left as it is.
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { manifestName, type PageFile, type PageManifest, readManifest } from './manifest.ts';

const entry = fileURLToPath(new URL('./main.tsx', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../../../', import.meta.url));
/** Packages have exact versions here. */
const lockfile = join(root, 'package-lock.json');
const foreignStyles = join(root, 'node_modules/uplot/dist/uPlot.min.css');
const assets = '/ui/assets/';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Resolves with what is in the folder then. */
export async function buildPage(folder: string): Promise<PageManifest> {
  const key = keyOfSources();
  const built = earlier(folder);
  if (built?.key === key) return built;
  const scripts = await bundleScripts();
  const styles = hashed('page', '.css', stylesOf());
  const icon = hashed('icon', '.svg', readFileSync(join(here, 'icon.svg'), 'utf8'));
  const index = indexOf({ script: scripts.entry, styles: styles.name, icon: icon.name });
  const texts = [...scripts.files, styles, icon, { name: 'index.html', text: index }];
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const files = Object.fromEntries(
    texts.map(({ name, text }) => [name, write(folder, name, text)]),
  );
  const manifest: PageManifest = { key, index: 'index.html', files };
  // Last: a folder without it holds no page.
  writeFileSync(join(folder, manifestName), JSON.stringify(manifest, undefined, 2));
  return manifest;
}

function keyOfSources(): string {
  const hash = createHash('sha256').update(readFileSync(lockfile));
  for (const name of globSync('**/*', { cwd: here }).toSorted()) {
    if (extname(name) !== '') hash.update(name).update(readFileSync(join(here, name)));
  }
  return hash.digest('hex');
}

function earlier(folder: string): PageManifest | undefined {
  try {
    return readManifest(folder);
  } catch {
    return undefined;
  }
}

interface Named {
  readonly name: string;
  readonly text: string;
}

/** The entry, and what it loads when it is wanted. */
async function bundleScripts(): Promise<{ entry: string; files: readonly Named[] }> {
  // Loaded here alone: a built product has its page, and rolldown is not part of it.
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: { page: entry },
    platform: 'browser',
    logLevel: 'warn',
    tsconfig: join(here, 'tsconfig.json'),
  });
  const { output } = await bundle.generate({
    format: 'esm',
    minify: true,
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
  const chunks = output.filter((one) => one.type === 'chunk');
  const first = chunks.find(({ isEntry }) => isEntry);
  if (first === undefined) throw new Error('the page has no entry');
  return {
    entry: first.fileName,
    files: chunks.map(({ fileName, code }) => ({ name: fileName, text: code })),
  };
}

/** All of the folder `styles`, in the order of their names, without comments and indents. */
function stylesOf(): string {
  const own = globSync('styles/*.css', { cwd: here }).toSorted();
  const files = [foreignStyles, ...own.map((name) => join(here, name))];
  return files
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/\s*\n\s*/g, '\n')
    .trim();
}

function hashed(name: string, extension: string, text: string): Named {
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 8);
  return { name: `${name}-${hash}${extension}`, text };
}

const indexOf = (names: { script: string; styles: string; icon: string }): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="dark light">
<title>Coppice</title>
<link rel="icon" href="${assets}${names.icon}">
<link rel="stylesheet" href="${assets}${names.styles}">
<script type="module" src="${assets}${names.script}"></script>
</head>
<body><noscript>The inspector needs JavaScript.</noscript></body>
</html>
`;

function write(folder: string, name: string, text: string): PageFile {
  const bytes = Buffer.from(text);
  const gzip = gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION });
  const brotli = brotliCompressSync(bytes);
  writeFileSync(join(folder, name), bytes);
  writeFileSync(join(folder, `${name}.gz`), gzip);
  writeFileSync(join(folder, `${name}.br`), brotli);
  return {
    type: types[extname(name)] ?? 'application/octet-stream',
    bytes: bytes.length,
    gzipBytes: gzip.length,
    brotliBytes: brotli.length,
  };
}
