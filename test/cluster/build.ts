// Builds what is missing of the real control plane, through the Go module proxy. About seven
// minutes on two cores the first time, nothing after that.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Binary, binaries, binaryPath, cacheFolder, goFolder } from './recipe.ts';

export const missing = (wanted: readonly Binary[] = binaries): readonly Binary[] =>
  wanted.filter((binary) => !existsSync(binaryPath(binary)));

/** A sentence that says what to install, or undefined where Go is there. */
export async function whyNoGo(): Promise<string | undefined> {
  const { code, output } = await run('go', ['env', 'GOVERSION'], goFolder);
  if (code !== 0) {
    return (
      'Go is not on the PATH: install Go 1.25 or newer (https://go.dev/dl) ' +
      'to build the real control plane'
    );
  }
  const minor = Number(output.match(/go1\.(\d+)/)?.[1] ?? 0);
  return minor >= 25
    ? undefined
    : `Go ${output.trim()} is too old: Kubernetes 1.35 needs Go 1.25 or newer`;
}

/** Builds each missing binary; throws with the compiler's words when one fails. */
export async function build(say: (line: string) => void): Promise<void> {
  const todo = missing();
  if (todo.length === 0) return say('everything is built already');
  const problem = await whyNoGo();
  if (problem !== undefined) throw new Error(problem);
  for (const [module, group] of Map.groupBy(todo, (binary) => binary.module)) {
    const begun = performance.now();
    say(`building ${group.map(({ name, version }) => `${name} ${version}`).join(', ')}`);
    for (const binary of group) await buildOne(module, binary);
    say(`  done in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  }
  removeOld();
}

async function buildOne(module: string, binary: Binary): Promise<void> {
  const path = binaryPath(binary);
  mkdirSync(dirname(path), { recursive: true });
  const half = `${path}.building`;
  const args = [
    'build',
    '-trimpath',
    '-ldflags',
    `-s -w ${binary.ldflags ?? ''}`,
    '-o',
    half,
    binary.package,
  ];
  const { code, output } = await run('go', args, join(goFolder, module));
  if (code !== 0) throw new Error(`go ${args.join(' ')} failed in ${module}:\n${output}`);
  renameSync(half, path);
}

/** Folders of earlier recipes; nothing else in the cache is touched. */
function removeOld(): void {
  const live = new Set(binaries.map((binary) => dirname(binaryPath(binary))));
  for (const entry of readdirSync(cacheFolder)) {
    const folder = join(cacheFolder, entry);
    const isRecipe = /^[a-z]+-[0-9a-f]{12}$/.test(entry);
    if (isRecipe && !live.has(folder)) rmSync(folder, { recursive: true, force: true });
  }
}

/** The committed go.sum is what vouches for the modules: the checksum database is not asked, since
 *  it cannot be reached everywhere. */
const goEnvironment = { GOSUMDB: 'off', GOFLAGS: '-mod=readonly', CGO_ENABLED: '0' };

function run(
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...goEnvironment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const take = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-20_000);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('error', (error) => resolve({ code: 127, output: error.message }));
    child.once('exit', (code) => resolve({ code: code ?? 1, output }));
  });
}
