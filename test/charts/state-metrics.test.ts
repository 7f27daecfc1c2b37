// The configuration of kube-state-metrics names only what the CRDs have: a path that leads nowhere
// is a metric that never appears.
import { describe, expect, it } from 'vitest';
import { at, isObject } from '#machines/kubernetes/json.ts';
import { allDefinitions } from '#test/surface/client.ts';
import { type StateKind, type StateMetric, stateKinds } from '#tools/chart/state-metrics.ts';
import { crdObject } from '#tools/crds/generate.ts';

/** The schema of the version that is watched; undefined: there is none. */
function schemaOf({ group, version, kind }: StateKind): unknown {
  const definition = allDefinitions().find((row) => row.group === group && row.kind === kind);
  if (definition === undefined) return undefined;
  const versions = at(crdObject(definition), 'spec', 'versions');
  const served = Array.isArray(versions) ? versions.filter(isObject) : [];
  return at(
    served.find(({ name }) => name === version),
    'schema',
    'openAPIV3Schema',
  );
}

const metadata = ['creationTimestamp', 'deletionTimestamp', 'generation', 'labels', 'name'];

/** What stands at a path; a list counts as its items. */
function below(schema: unknown, path: readonly string[]): unknown {
  let here = schema;
  for (const name of path) here = at(at(here, 'items') ?? here, 'properties', name);
  return here;
}

const isKnown = (schema: unknown, path: readonly string[]): boolean =>
  path[0] === 'metadata' ? metadata.includes(path[1] ?? '') : below(schema, path) !== undefined;

const pathsOf = ({ path, valueFrom, labels = {} }: StateMetric): (readonly string[])[] => [
  path,
  ...(valueFrom === undefined ? [] : [[...path, ...valueFrom]]),
  ...Object.values(labels).map((label) => [...path, ...label]),
];

describe.each(stateKinds)('What kube-state-metrics tells of a $kind', (row) => {
  it('is of a version that is served', () => {
    expect(schemaOf(row)).toBeDefined();
  });

  it('is in its CRD', () => {
    const paths = [...row.metrics.flatMap(pathsOf), ...Object.values(row.labels ?? {})];
    const schema = schemaOf(row);
    expect(paths.filter((path) => !isKnown(schema, path))).toEqual([]);
  });

  it('has every state that the CRD allows', () => {
    const schema = schemaOf(row);
    const wrong = row.metrics.filter(({ path, valueFrom = [], states }) => {
      const field = below(schema, [...path, ...valueFrom]);
      const allowed = at(field, 'enum');
      if (states === undefined || !Array.isArray(allowed)) return false;
      return allowed.toSorted().join() !== states.list.toSorted().join();
    });
    expect(wrong).toEqual([]);
  });

  it('has a name once', () => {
    const names = row.metrics.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

it('kube-state-metrics tells of every kind that is served and has a status of its own', () => {
  const missing = allDefinitions().filter(
    ({ kind }) => !stateKinds.some((row) => row.kind === kind),
  );
  // It is the administrator's, and has no life.
  expect(missing.map(({ kind }) => kind)).toEqual(['ClusterTopologyBinding']);
});
