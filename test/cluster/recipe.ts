// What the real control plane is built from: one row per binary, each a package of a small Go
// module in test/cluster/go with pinned versions and a committed go.sum. No Docker, only Go.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Binary {
  readonly name: string;
  /** Folder of the module under test/cluster/go. */
  readonly module: string;
  readonly package: string;
  readonly version: string;
  readonly ldflags?: string;
}

const kubernetes = '1.35.5';
const stamp = [
  `-X k8s.io/component-base/version.gitVersion=v${kubernetes}`,
  '-X k8s.io/component-base/version.gitMajor=1',
  '-X k8s.io/component-base/version.gitMinor=35',
].join(' ');

const ofKubernetes = (name: string): Binary => ({
  name,
  module: 'kubernetes',
  package: `./cmd/${name}`,
  version: kubernetes,
  ldflags: stamp,
});

export const binaries: readonly Binary[] = [
  ofKubernetes('kube-apiserver'),
  ofKubernetes('kube-controller-manager'),
  ofKubernetes('kube-scheduler'),
  ofKubernetes('kubectl'),
  { name: 'etcd', module: 'etcd', package: '.', version: '3.6.5' },
  { name: 'kwok', module: 'kwok', package: 'sigs.k8s.io/kwok/cmd/kwok', version: '0.7.0' },
  { name: 'nats', module: 'nats', package: 'github.com/nats-io/natscli/nats', version: '0.3.2' },
  { name: 'helm', module: 'helm', package: 'helm.sh/helm/v3/cmd/helm', version: '3.22.0' },
  { name: 'helm4', module: 'helm4', package: 'helm.sh/helm/v4/cmd/helm', version: '4.3.1' },
  {
    name: 'kube-state-metrics',
    module: 'kube-state-metrics',
    package: 'k8s.io/kube-state-metrics/v2',
    version: '2.18.0',
  },
];

const here = fileURLToPath(new URL('.', import.meta.url));
export const goFolder = join(here, 'go');
/** Several checkouts may share one: names say what is in it. */
export const cacheFolder = resolve(
  process.env['COPPICE_CLUSTER_CACHE'] ?? join(here, '..', '..', '.cache', 'cluster'),
);

/** Where a binary is or will be: the folder's name is a hash of all that goes into it, so that an
 *  unchanged recipe builds nothing and a changed one never meets an old binary. */
export function binaryPath(binary: Binary): string {
  return join(cacheFolder, `${binary.module}-${recipeHash(binary)}`, binary.name);
}

function recipeHash(binary: Binary): string {
  const hash = createHash('sha256').update(
    JSON.stringify([binary.ldflags ?? '', process.platform, process.arch]),
  );
  const folder = join(goFolder, binary.module);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  for (const file of files) hash.update(file.slice(folder.length)).update(readFileSync(file));
  return hash.digest('hex').slice(0, 12);
}
