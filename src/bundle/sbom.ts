// `npm run sbom`: the bill of materials in CycloneDX and in SPDX, by npm's own command from the
// lockfile, in dist/sbom. What npm draws at random or reads from the clock is made of the content
// instead, so one commit and one npm have one bill.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { list, object, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { lockedPackages } from './locked.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const manifest: { readonly name: string; readonly version: string } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

/** Formats of npm, and the endings by which tools know them. */
const formats = { cyclonedx: 'cdx.json', spdx: 'spdx.json' } as const;
type Format = keyof typeof formats;

/** Of all packages: with `--omit dev` npm leaves out what ships where something that only builds or
 *  tests asks for it too. */
function byNpm(format: Format): JsonObject {
  const flags = ['--package-lock-only', '--sbom-format', format];
  const printed = execFileSync('npm', ['sbom', '--loglevel=error', ...flags], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  });
  const bill: unknown = JSON.parse(printed);
  return object(bill);
}

/** `name@version` of what ships, the project itself too. */
const shipped = (): ReadonlySet<string> =>
  new Set(
    [{ ...manifest, isDevelopment: false }, ...lockedPackages()]
      .filter(({ isDevelopment }) => !isDevelopment)
      .map(({ name, version }) => `${name}@${version}`),
  );

/** In the form of a UUID, version 8: what is in it is ours to say. */
function uuidOf(content: object): string {
  const hex = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`];
  return [...parts, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}

const timeOf = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');

/** `seconds`: of the commit, since 1970. */
export function billOf(format: Format, seconds: number): string {
  const at = timeOf(seconds);
  const bill = byNpm(format);
  const fixed = format === 'cyclonedx' ? cycloneDx(bill, at) : spdx(bill, at);
  return `${JSON.stringify(fixed, undefined, 2)}\n`;
}

/** npm calls the project after its folder there. */
function cycloneDx({ serialNumber: _, ...bill }: JsonObject, timestamp: string): object {
  const ships = shipped();
  const metadata = object(bill['metadata']);
  const component = { ...object(metadata['component']), name: manifest.name };
  const isShipped = (ref: unknown): boolean => ships.has(text(ref));
  const fixed = {
    ...bill,
    metadata: { ...metadata, timestamp, component },
    components: list(bill['components']).filter((one) => isShipped(object(one)['bom-ref'])),
    dependencies: list(bill['dependencies'])
      .map(object)
      .filter(({ ref }) => isShipped(ref))
      .map((one) => ({ ...one, dependsOn: list(one['dependsOn']).filter(isShipped) })),
  };
  return { ...fixed, serialNumber: `urn:uuid:${uuidOf(fixed)}` };
}

function spdx({ documentNamespace, ...bill }: JsonObject, created: string): object {
  const ships = shipped();
  const packages = list(bill['packages'])
    .map(object)
    .filter(({ name, versionInfo }) => ships.has(`${text(name)}@${text(versionInfo)}`));
  const ids = new Set(['SPDXRef-DOCUMENT', ...packages.map((one) => text(one['SPDXID']))]);
  const fixed = {
    ...bill,
    creationInfo: { ...object(bill['creationInfo']), created },
    packages,
    relationships: list(bill['relationships'])
      .map(object)
      .filter((one) =>
        ['spdxElementId', 'relatedSpdxElement'].every((end) => ids.has(text(one[end]))),
      ),
  };
  const before = text(documentNamespace).replace(/[0-9a-f]{8}-[0-9a-f-]{27}$/, '');
  return { ...fixed, documentNamespace: before + uuidOf(fixed) };
}

function main(args: readonly string[]): number {
  if (args.length > 0) {
    process.stderr.write(`sbom: ${args.join(' ')}: there are no arguments\n`);
    return 2;
  }
  const folder = join(root, 'dist', 'sbom');
  mkdirSync(folder, { recursive: true });
  for (const format of ['cyclonedx', 'spdx'] as const) {
    const file = join(folder, `${manifest.name}-${manifest.version}.${formats[format]}`);
    writeFileSync(file, billOf(format, Number(process.env['SOURCE_DATE_EPOCH'] ?? 0)));
    process.stdout.write(`${file}\n`);
  }
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = main(process.argv.slice(2));
}
