// charts/install.yaml: what Helm renders of the chart with its defaults, for whoever has no Helm,
// and the base that kustomize takes it from, with the CRDs. Written by `npm run surface` where Helm
// is built, and held equal by install.test.ts.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { defaultConfiguration } from '#src/config/decode.ts';
import { crdFolder } from '#src/modules/crds.ts';
import { releaseNamespace, rendered } from '#test/cluster/chart.ts';

export const installPath = 'charts/install.yaml';
const kustomizationPath = 'charts/kustomization.yaml';

const origin = '# Written by `npm run surface` from charts/coppice; do not edit by hand.\n';

/** Nobody but Helm manages what Helm has rendered. */
const ofHelm = /^ +(?:app\.kubernetes\.io\/managed-by: Helm|helm\.sh\/chart: .*)\n/gm;

const namespace = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: releaseNamespace,
    labels: { 'pod-security.kubernetes.io/enforce': 'restricted' },
  },
};

async function installManifest(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-install-'));
  try {
    const manifests = await rendered(folder, {}, { words: ['--no-hooks'] });
    return `${origin}${stringify(namespace)}${manifests.replaceAll(ofHelm, '')}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function kustomization(): string {
  const served = Object.entries(defaultConfiguration.modules).filter(([, isServed]) => isServed);
  const crds = served.flatMap(([module]) =>
    readdirSync(crdFolder(module)).map((file) => `coppice/charts/${module}/crds/${file}`),
  );
  const kind = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' };
  return `${origin}${stringify({ ...kind, resources: [...crds, 'install.yaml'] })}`;
}

/** Path from the root of the checkout to text. */
export const installFiles = async (): Promise<Readonly<Record<string, string>>> => ({
  [installPath]: await installManifest(),
  [kustomizationPath]: kustomization(),
});
