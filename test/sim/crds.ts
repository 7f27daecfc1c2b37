// The CustomResourceDefinitions of the chart, as a user installs them. Used by world.ts.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readManifests, type Manifest } from '#src/dev/apply.ts';

let manifests: Promise<readonly Manifest[]> | undefined;

/** Parsing takes a while: once for all runs of this process. */
export function crds(): Promise<readonly Manifest[]> {
  const folder = fileURLToPath(new URL('../../charts/coppice/crds/', import.meta.url));
  manifests ??= Promise.all(
    readdirSync(folder)
      .filter((name) => name.endsWith('.yaml'))
      .toSorted()
      .map((name) => readManifests(folder + name)),
  ).then((files) => files.flat());
  return manifests;
}
