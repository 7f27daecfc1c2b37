// The manifest by which krew, the plugin manager of kubectl, installs the plugin. Written by
// executable.ts beside an archive, and for a release put together from those of all platforms by
// build.ts; test/bundle/krew.test.ts holds it to krew's schema.
import { parse, stringify } from 'yaml';
import { list, object } from '#machines/kubernetes/json.ts';

export interface Released {
  /** As Node names them. */
  readonly platform: string;
  readonly arch: string;
  /** Of the archive. */
  readonly name: string;
  readonly sha256: string;
}

const systems: Readonly<Record<string, string>> = { win32: 'windows' };
const architectures: Readonly<Record<string, string>> = { x64: 'amd64' };

/** `url`: of the folder that holds the archives. */
export const krewManifest = (version: string, url: string, archives: readonly Released[]): string =>
  stringify({
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'coppice' },
    spec: {
      version: `v${version}`,
      homepage: new URL(url).origin,
      shortDescription: 'See what Coppice does with workloads, and why',
      description:
        'Shows the state of PodCliqueSets, ComputeDomains and Sandboxes that Coppice controls, ' +
        'says what they wait for and what led to it, parks them, and checks an installation.',
      platforms: archives.map((one) => platformOf(url, one)),
    },
  });

function platformOf(url: string, { platform, arch, name, sha256 }: Released): object {
  const os = systems[platform] ?? platform;
  return {
    selector: { matchLabels: { os, arch: architectures[arch] ?? arch } },
    uri: `${url.replace(/\/$/, '')}/${name}`,
    sha256,
    bin: os === 'windows' ? 'kubectl-coppice.exe' : 'kubectl-coppice',
    files: [
      { from: os === 'windows' ? 'kubectl-coppice.exe' : 'kubectl-coppice', to: '.' },
      { from: 'LICENSE', to: '.' },
    ],
  };
}

/** One manifest with the platforms of all: they must not differ in anything else. */
export function joinedManifest(texts: readonly string[]): string {
  const manifests = texts.map((one) => object(parse(one)));
  const [first = {}] = manifests;
  const without = (manifest: object): string =>
    JSON.stringify(manifest, (key, value: unknown) => (key === 'platforms' ? undefined : value));
  if (manifests.some((one) => without(one) !== without(first))) {
    throw new Error('the manifests are not of one release');
  }
  const platforms = manifests.flatMap((one) => list(object(one['spec'])['platforms']));
  return stringify({ ...first, spec: { ...object(first['spec']), platforms } });
}
