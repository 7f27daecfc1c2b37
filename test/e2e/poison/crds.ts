// The CRDs of the chart, as they are or with a schema that says nothing: then anything at all is
// stored and delivered.
import { at, list, object } from '#machines/kubernetes/json.ts';
import { readCrds } from '#src/dev/crds.ts';

const anything = {
  openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
};

export function crds(isLax: boolean): readonly unknown[] {
  const manifests = readCrds();
  return manifests.map(({ body }) => (isLax ? lax(body) : body));
}

function lax(body: unknown): unknown {
  const spec = object(at(body, 'spec'));
  const versions = list(spec['versions']).map((version) => ({
    ...object(version),
    schema: anything,
  }));
  return { ...object(body), spec: { ...spec, versions } };
}
