// The CRDs of the chart, as they are or with a schema that says nothing: then anything at all is
// stored and delivered.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { at, list, object } from '#machines/json.ts';
import { readManifests } from '#src/dev/apply.ts';

const folder = fileURLToPath(new URL('../../../charts/coppice/crds/', import.meta.url));
const anything = {
  openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
};

export async function crds(isLax: boolean): Promise<readonly unknown[]> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  const manifests = await Promise.all(files.map((name) => readManifests(folder + name)));
  return manifests.flat().map(({ body }) => (isLax ? lax(body) : body));
}

function lax(body: unknown): unknown {
  const spec = object(at(body, 'spec'));
  const versions = list(spec['versions']).map((version) => ({
    ...object(version),
    schema: anything,
  }));
  return { ...object(body), spec: { ...spec, versions } };
}
