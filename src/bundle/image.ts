// `npm run image`: the image of Coppice as an OCI layout in dist/image/oci, made by umoci without
// an engine or a registry, for the platform of this machine. With `--app` only the folder that the
// Dockerfile copies. Files, owners and times are fixed: two builds of one commit have one digest.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  globSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeEnvironment, nodeFlags } from '#src/launch/flags.mjs';
import { bundleController } from './build.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Of the account `nonroot` of distroless images. */
export const user = 65_532;
const node = '/nodejs/bin/node';
export const entrypoint: readonly string[] = [node, ...nodeFlags, '/app/dist/bin/coppice.mjs'];
/** As in `NAME=value`. */
export const environment: readonly string[] = Object.entries(nodeEnvironment).map(
  ([name, value]) => `${name}=${value}`,
);

const { version }: { readonly version: string } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

/** What OCI calls the architectures of Node. */
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** What the image has besides Node: the bundle, the CRDs beside it as `coppice crds` finds them,
 *  and the license. */
export async function makeApp(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  await bundleController(join(folder, 'dist'));
  const charts = join(root, 'charts', 'coppice', 'charts');
  for (const file of globSync('*/crds/*.yaml', { cwd: charts })) {
    const target = join(folder, 'charts', 'coppice', 'charts', file);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(charts, file), target);
  }
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  readable(folder);
}

/** For whoever runs the container, whatever the umask here is. */
function readable(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
  }
}

/** All files of the image: as the distroless base has them, where there is no registry to take that
 *  from. Node and its libraries are those of this machine. */
export async function makeRoot(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const place = (path: string): string => {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    return target;
  };
  const program = realpathSync(process.execPath);
  copyFileSync(program, place(node));
  chmodSync(place(node), 0o755);
  for (const library of librariesOf(program)) copyFileSync(library, place(library));
  writeFileSync(place('/etc/passwd'), accounts);
  writeFileSync(place('/etc/group'), `root:x:0:\nnonroot:x:${user}:\n`);
  writeFileSync(place('/etc/nsswitch.conf'), 'hosts: files dns\n');
  mkdirSync(join(folder, 'home', 'nonroot'), { recursive: true });
  mkdirSync(join(folder, 'tmp'));
  chmodSync(join(folder, 'tmp'), 0o1777);
  await makeApp(join(folder, 'app'));
}

const accounts = [
  'root:x:0:0:root:/root:/sbin/nologin',
  `nonroot:x:${user}:${user}:nonroot:/home/nonroot:/sbin/nologin`,
  '',
].join('\n');

/** Paths as the loader finds them, the loader itself among them. */
const librariesOf = (program: string): readonly string[] =>
  execFileSync('ldd', [program], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => /(?:=>\s*)?(\/\S+)\s+\(0x/.exec(line)?.[1] ?? []);

/** Writes the layout with one image, tagged with the version; returns its address for umoci. */
export async function makeImage(folder: string): Promise<string> {
  const [files, layout] = [join(folder, 'root'), join(folder, 'oci')];
  await makeRoot(files);
  const created = new Date(Number(process.env['SOURCE_DATE_EPOCH'] ?? 0) * 1000);
  setTimes(files, created);
  rmSync(layout, { recursive: true, force: true });
  const image = `${layout}:${version}`;
  const at = created.toISOString().replace(/\.\d+Z$/, 'Z');
  const umoci = (...args: readonly string[]) =>
    execFileSync('umoci', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  umoci('init', '--layout', layout);
  umoci('new', '--image', image);
  umoci('insert', '--image', image, '--history.created', at, files, '/');
  umoci(
    ...['config', '--image', image, '--created', at, '--history.created', at],
    ...['--os', 'linux', '--architecture', architectures[process.arch] ?? process.arch],
    ...['--config.user', `${user}:${user}`, '--config.workingdir', '/app'],
    ...entrypoint.flatMap((word) => ['--config.entrypoint', word]),
    ...['--config.cmd', 'help'],
    ...environment.flatMap((one) => ['--config.env', one]),
    ...labels.flatMap(([name, value]) => ['--config.label', `${name}=${value}`]),
  );
  umoci('gc', '--layout', layout);
  rmSync(files, { recursive: true, force: true });
  return image;
}

const labels: readonly (readonly [name: string, value: string])[] = [
  ['org.opencontainers.image.title', 'coppice'],
  ['org.opencontainers.image.version', version],
  ['org.opencontainers.image.licenses', 'Apache-2.0'],
];

function setTimes(folder: string, time: Date): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    lutimesSync(join(folder, name), time, time);
  }
  lutimesSync(folder, time, time);
}

async function main(args: readonly string[]): Promise<number> {
  const [flag, ...more] = args;
  if (more.length > 0 || (flag !== undefined && flag !== '--app')) {
    process.stderr.write(`image: ${args.join(' ')}: there is --app\n`);
    return 2;
  }
  const folder = join(root, 'dist', 'image');
  if (flag === '--app') {
    await makeApp(join(folder, 'app'));
    process.stdout.write(`${join(folder, 'app')}\n`);
    return 0;
  }
  if (process.getuid?.() !== 0) {
    process.stderr.write('image: needs root, as the files of the image belong to root\n');
    return 1;
  }
  process.stdout.write(`${await makeImage(folder)}\n`);
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.slice(2));
}
