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
  /** Folder of the go.mod to build with; absent: that of the module. */
  readonly requires?: string;
  readonly version: string;
  readonly ldflags?: string;
}

/** Of the versions in the support table (docs/versions.md) the newest, which is used unless
 *  `COPPICE_KUBERNETES` names another, and the oldest. `requires`: the folder whose go.mod stands
 *  in for that of the module, so that both are built from the same commands. `hasGangs`: it has
 *  Workloads of its own, alpha in 1.35. `labelsPods`: pods get the topology labels of their node,
 *  beta in 1.35. */
const releases = {
  '1.35': { version: '1.35.5', requires: undefined, hasGangs: true, labelsPods: true },
  '1.34': { version: '1.34.8', requires: 'kubernetes-1.34', hasGangs: false, labelsPods: false },
} as const;
type Release = keyof typeof releases;
const newest: Release = '1.35';
export const releaseNames = Object.keys(releases) as readonly Release[];

const releaseVariable = 'COPPICE_KUBERNETES';

/** Throws where the variable names none. */
function kubernetesRelease(): Release {
  const given = process.env[releaseVariable] ?? newest;
  const found = releaseNames.find((name) => name === given);
  if (found !== undefined) return found;
  throw new Error(`${releaseVariable} must be one of ${releaseNames.join(', ')}, not "${given}"`);
}

/** Whether the release can place pods together by itself. */
export const hasGangScheduling = (): boolean => releases[kubernetesRelease()].hasGangs;

export const labelsPods = (): boolean => releases[kubernetesRelease()].labelsPods;

/** From now on, in this process and those that it starts. Throws where there is no such release. */
export function useKubernetes(release: string): void {
  process.env[releaseVariable] = release;
  kubernetesRelease();
}

const stampOf = (version: string): string => {
  const [major = '', minor = ''] = version.split('.');
  return [
    `-X k8s.io/component-base/version.gitVersion=v${version}`,
    `-X k8s.io/component-base/version.gitMajor=${major}`,
    `-X k8s.io/component-base/version.gitMinor=${minor}`,
  ].join(' ');
};

function ofKubernetes(name: string): Binary {
  const { version, requires } = releases[kubernetesRelease()];
  return {
    name,
    module: 'kubernetes',
    package: `./cmd/${name}`,
    version,
    ldflags: stampOf(version),
    ...(requires === undefined ? {} : { requires }),
  };
}

/** Those of Kubernetes in the release that is asked for. */
export const binaries = (): readonly Binary[] => [
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
  const { module, requires = module, name } = binary;
  return join(cacheFolder, `${requires}-${recipeHash(binary)}`, name);
}

function recipeHash({ module, requires, ldflags = '' }: Binary): string {
  const hash = createHash('sha256').update(
    JSON.stringify([ldflags, process.platform, process.arch]),
  );
  for (const name of requires === undefined ? [module] : [module, requires]) {
    const folder = join(goFolder, name);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted();
    for (const file of files) hash.update(file.slice(folder.length)).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 12);
}
