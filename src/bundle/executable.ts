// The plugin of kubectl as one file that needs no Node: a Node with the bundle in it ("single
// executable application"). Node makes the blob; postject, which npm fetches for this alone, puts it
// into a copy of the Node that runs this, so each platform makes its own. Called by build.ts.
import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'rolldown';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Not among the packages of the project: nothing else needs it. */
const postject = 'postject@1.0.0-alpha.6';

/** By which Node finds out that it carries something (its documentation names it). */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const run = promisify(execFile);

/** Writes `<platform>-<architecture>/kubectl-coppice` into the folder; returns its path. */
export async function executable(folder: string): Promise<string> {
  const place = mkdtempSync(join(tmpdir(), 'coppice-executable-'));
  try {
    const script = join(place, 'kubectl-coppice.cjs');
    await bundleScript(script);
    const [config, blob] = [join(place, 'sea.json'), join(place, 'sea.blob')];
    writeFileSync(
      config,
      JSON.stringify({ main: script, output: blob, disableExperimentalSEAWarning: true }),
    );
    await run(process.execPath, ['--experimental-sea-config', config]);
    const ending = process.platform === 'win32' ? '.exe' : '';
    const own = join(folder, `${process.platform}-${process.arch}`);
    mkdirSync(own, { recursive: true });
    const target = join(own, `kubectl-coppice${ending}`);
    copyFileSync(process.execPath, target);
    chmodSync(target, 0o755);
    await inject(target, blob);
    return target;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** One file without imports of others, in the only format that Node 24 takes there. */
const bundleScript = (file: string) =>
  build({
    input: join(root, 'src', 'kubectl-coppice.ts'),
    platform: 'node',
    logLevel: 'warn',
    output: { file, format: 'cjs', codeSplitting: false },
  });

async function inject(target: string, blob: string): Promise<void> {
  const isMac = process.platform === 'darwin';
  // A signature of the Node would not fit any more.
  if (isMac) await run('codesign', ['--remove-signature', target]);
  const section = isMac ? ['--macho-segment-name', 'NODE_SEA'] : [];
  const words = [target, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', fuse, ...section];
  await run('npx', ['--yes', '--package', postject, 'postject', ...words], {
    shell: process.platform === 'win32',
  });
  if (isMac) await run('codesign', ['--sign', '-', target]);
}
