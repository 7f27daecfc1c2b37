// The plugin of kubectl as one file that needs no Node: a Node with the bundle in it ("single
// executable application"). Node makes the blob; postject, which npm fetches for this alone, puts
// it into a copy of the Node that runs this, so each platform makes its own. Called by build.ts.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'rolldown';
import { archive } from '#src/plugin/archive.ts';
import { krewManifest } from './krew.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const packaged: { readonly version: string } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

/** Not among the packages of the project: nothing else needs it. */
export const postject = 'postject@1.0.0-alpha.6';

/** By which Node finds out that it carries something (its documentation names it). */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const run = promisify(execFile);

/** Writes `<platform>-<architecture>/` with the program, and, where it is known at which URL the
 *  archives of a release will be, its archive and the manifest by which krew installs it; returns
 *  their paths. */
export async function makeExecutable(
  folder: string,
  url: string | undefined,
): Promise<readonly string[]> {
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
    return [target, ...(url === undefined ? [] : release(own, target, url))];
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** For this platform alone: whoever releases puts the parts of all into one manifest. */
function release(folder: string, program: string, url: string): readonly string[] {
  const name = `kubectl-coppice-${process.platform}-${process.arch}.tar.gz`;
  const license = { name: 'LICENSE', content: readFileSync(join(root, 'LICENSE')) };
  const file = {
    name: basename(program),
    content: readFileSync(program),
    isProgram: true,
  } as const;
  const bytes = archive([file, license], 0);
  const path = join(folder, name);
  writeFileSync(path, bytes);
  const manifest = join(folder, 'coppice.yaml');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const { platform, arch } = process;
  writeFileSync(manifest, krewManifest(packaged.version, url, [{ platform, arch, name, sha256 }]));
  return [path, manifest];
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
