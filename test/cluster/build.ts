// Builds what is missing of the real control plane, through the Go module proxy. About seven
// minutes on two cores the first time, nothing after that.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Binary, binaries, binaryPath, cacheFolder, goFolder } from './recipe.ts';

export const missing = (wanted: readonly Binary[] = binaries()): readonly Binary[] =>
  wanted.filter((binary) => !existsSync(binaryPath(binary)));

/** A sentence that says what to install, or undefined where Go is there. */
export async function whyNoGo(): Promise<string | undefined> {
  const { code, output } = await run('go', ['env', 'GOVERSION'], goFolder);
  if (code !== 0) {
    return (
      'Go is not on the PATH: install Go 1.26 or newer (https://go.dev/dl) ' +
      'to build the real control plane'
    );
  }
  const minor = Number(output.match(/go1\.(\d+)/)?.[1] ?? 0);
  return minor >= 26
    ? undefined
    : `Go ${output.trim()} is too old: Helm 4.3 needs Go 1.26 or newer`;
}

/** There is no Go here, or one that is too old. */
export class NoGo extends Error {
  override readonly name = 'NoGo';
}

/** Builds each missing binary. Throws NoGo, or with what the network or the compiler said. */
export async function build(say: (line: string) => void): Promise<void> {
  const todo = missing();
  if (todo.length === 0) return say('everything is built already');
  const problem = await whyNoGo();
  if (problem !== undefined) throw new NoGo(problem);
  for (const [module, group] of Map.groupBy(todo, (binary) => binary.module)) {
    const begun = performance.now();
    say(`building ${group.map(({ name, version }) => `${name} ${version}`).join(', ')}`);
    await fetchModules(module, group);
    for (const binary of group) await buildOne(binary);
    say(`  done in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  }
  removeOld();
}

/** A proxy that answers gives everything in two minutes; one that does not keeps Go for ever. */
const fetchLimitMs = 300_000;

/** What is wrong with the recipe and not with the network. */
const recipeFaults =
  /checksum mismatch|missing go\.sum entry|updates to go\.mod|errors parsing go\.mod/;

/** Downloads what the packages need, apart from the build: what fails here is the network's. */
async function fetchModules(module: string, group: readonly Binary[]): Promise<void> {
  const packages = group.map((binary) => binary.package);
  const format = '{{if .Error}}{{.Error}}{{end}}';
  const args = ['list', ...modfile(group[0]), '-deps', '-f', format, ...packages];
  const { code, output } = await run('go', args, join(goFolder, module), fetchLimitMs);
  if (code === 0) return;
  if (recipeFaults.test(output)) throw new Error(`the recipe of ${module} is wrong:\n${output}`);
  const last = output.trim().split('\n').at(-1) ?? '';
  throw new Error(`The Go modules of ${module} cannot be fetched: ${last}`);
}

/** Flags for another go.mod than that of the module. */
const modfile = (binary: Binary | undefined): readonly string[] =>
  binary?.requires === undefined ? [] : [`-modfile=${join(goFolder, binary.requires, 'go.mod')}`];

/** The compiler's end for want of memory, of room on the disk, of processes or files. */
const shortages =
  /no space left|signal: killed|cannot allocate memory|too many open files|resource temporarily/;

async function buildOne(binary: Binary): Promise<void> {
  const { module } = binary;
  const path = binaryPath(binary);
  mkdirSync(dirname(path), { recursive: true });
  const half = `${path}.${process.pid}.building`;
  const args = [
    'build',
    ...modfile(binary),
    '-trimpath',
    '-ldflags',
    `-s -w ${binary.ldflags ?? ''}`,
    '-o',
    half,
    binary.package,
  ];
  const { code, output } = await run('go', args, join(goFolder, module));
  if (code !== 0) {
    rmSync(half, { force: true });
    const shortage = output.split('\n').find((line) => shortages.test(line));
    if (shortage !== undefined) throw new Error(`${binary.name} cannot be built: ${shortage}`);
    throw new Error(`go ${args.join(' ')} failed in ${module}:\n${output}`);
  }
  renameSync(half, path);
}

/** Folders of earlier recipes, of the release that is built; nothing else in the cache is touched.
 *  A cache that is shared may hold what other checkouts need. */
function removeOld(): void {
  if (process.env['COPPICE_CLUSTER_CACHE'] !== undefined) return;
  const live = new Set(binaries().map((binary) => dirname(binaryPath(binary))));
  const built = new Set([...live].map((folder) => basename(folder).replace(/-[0-9a-f]{12}$/, '')));
  for (const entry of readdirSync(cacheFolder)) {
    const folder = join(cacheFolder, entry);
    const [, name = ''] = /^([a-z][a-z0-9.-]*)-[0-9a-f]{12}$/.exec(entry) ?? [];
    if (built.has(name) && !live.has(folder)) rmSync(folder, { recursive: true, force: true });
  }
}

/** The committed go.sum is what vouches for the modules: the checksum database is not asked, since
 *  it cannot be reached everywhere. Go refuses to work without a home for its caches. */
const goEnvironment = (): NodeJS.ProcessEnv => ({
  ...(process.env['HOME'] === undefined && {
    GOPATH: join(cacheFolder, 'go'),
    GOCACHE: join(cacheFolder, 'go-build'),
  }),
  ...process.env,
  GOSUMDB: 'off',
  GOFLAGS: '-mod=readonly -modcacherw',
  CGO_ENABLED: '0',
});

function run(
  command: string,
  args: readonly string[],
  cwd: string,
  limitMs?: number,
): Promise<{ code: number; output: string }> {
  const begun = performance.now();
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: goEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(limitMs !== undefined && { timeout: limitMs }),
    });
    let output = '';
    const take = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-20_000);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('error', (error) => resolve({ code: 127, output: error.message }));
    child.once('exit', (code, signal) => {
      if (signal !== null) output += `\nended by ${signal} after ${performance.now() - begun} ms`;
      resolve({ code: code ?? 1, output });
    });
  });
}
