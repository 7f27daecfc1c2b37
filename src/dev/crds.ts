// The CRDs that ship with Coppice, for whoever installs them into a cluster: `coppice dev`, tests and
// benchmarks. Helm takes the same files from the chart.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { KubeTransport } from '#src/kube/transport.ts';
import { apply, readManifests } from './apply.ts';

const folder = fileURLToPath(new URL('../../charts/coppice/crds/', import.meta.url));

/** Applies all CRDs; returns their names. Throws MALFORMED with the server's answer. */
export async function installCrds(transport: KubeTransport): Promise<string[]> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  const manifests = await Promise.all(files.map((name) => readManifests(folder + name)));
  return Promise.all(manifests.flat().map((manifest) => apply(transport, manifest)));
}
