// Discovery and OpenAPI of the built-in kinds and of our CRDs.
import { describe, expect, test } from 'vitest';
import { builtinResources } from '#src/devcluster/schema/builtin.ts';
import { resourcesOfCrd } from '#src/devcluster/schema/crd.ts';
import * as discovery from '#src/devcluster/schema/discovery.ts';
import { openApiV2, openApiV3, openApiV3Index } from '#src/devcluster/schema/openapi/document.ts';
import { listAt, recordAt, textAt, valueAt } from '#src/devcluster/schema/record.ts';
import { allCrds, crd } from './crd-fixtures.ts';

const builtin = builtinResources();
const resources = [...builtin, ...allCrds().flatMap(resourcesOfCrd)];

describe('Built-in resources', () => {
  test('Every row has a schema of its own kind, and names that clash with no other', () => {
    const names = builtin.map((row) => `${row.group}/${row.version}/${row.plural}`);
    expect(new Set(names).size).toBe(names.length);
    for (const row of builtin) {
      const marks = listAt(row.schema, 'x-kubernetes-group-version-kind');
      expect(marks).toContainEqual({ group: row.group, version: row.version, kind: row.kind });
    }
  });
});

describe('Discovery', () => {
  test('Versions are ordered as Kubernetes prefers them', () => {
    const versions = ['v1alpha1', 'v2', 'v1', 'foo', 'v1beta2', 'v10', 'v1beta10'];
    expect(versions.toSorted(discovery.compareVersions)).toEqual([
      'v10',
      'v2',
      'v1',
      'v1beta10',
      'v1beta2',
      'v1alpha1',
      'foo',
    ]);
  });

  test('Legacy documents list groups and the resources with their subresources', () => {
    expect(discovery.apiVersions(resources, 'host:1')['versions']).toEqual(['v1']);
    const groups = listAt(discovery.apiGroupList(resources), 'groups').map((each) =>
      textAt(each, 'name'),
    );
    expect(groups).toContain('apps');
    expect(groups).toContain('scheduler.grove.io');
    expect(discovery.apiGroup(resources, 'grove.io')).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'grove.io',
      versions: [{ groupVersion: 'grove.io/v1alpha1', version: 'v1alpha1' }],
      preferredVersion: { groupVersion: 'grove.io/v1alpha1', version: 'v1alpha1' },
    });
    expect(discovery.apiGroup(resources, 'nobody.io')).toBeUndefined();
    expect(discovery.apiResourceList(resources, 'nobody.io', 'v1')).toBeUndefined();
    const list = discovery.apiResourceList(resources, 'grove.io', 'v1alpha1');
    expect(listAt(list, 'resources')).toContainEqual({
      name: 'podcliquesets/scale',
      singularName: '',
      namespaced: true,
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: ['get', 'patch', 'update'],
    });
  });

  test('Aggregated discovery holds the same in one document for each root', () => {
    const core = discovery.aggregatedDiscovery(resources, 'api');
    expect(core['apiVersion']).toBe('apidiscovery.k8s.io/v2');
    const version = listAt(listAt(core, 'items')[0], 'versions')[0];
    const pods = listAt(version, 'resources').find((each) => textAt(each, 'resource') === 'pods');
    expect(pods).toMatchObject({
      responseKind: { group: '', version: 'v1', kind: 'Pod' },
      scope: 'Namespaced',
      singularResource: 'pod',
      shortNames: ['po'],
      categories: ['all'],
    });
    const apis = discovery.aggregatedDiscovery(resources, 'apis', 'v2beta1');
    expect(apis['apiVersion']).toBe('apidiscovery.k8s.io/v2beta1');
    expect(
      listAt(apis, 'items').map((each) => textAt(recordAt(each, 'metadata'), 'name')),
    ).not.toContain('');
  });
});

/** Every reference of a document points at something in it. */
function danglingReferences(
  document: unknown,
  prefix: string,
  present: Record<string, unknown>,
): string[] {
  const missing = new Set<string>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    else if (typeof node === 'object' && node !== null) {
      for (const [key, value] of Object.entries(node)) {
        if (key === '$ref' && typeof value === 'string') {
          if (!value.startsWith(prefix) || !Object.hasOwn(present, value.slice(prefix.length)))
            missing.add(value);
        } else visit(value);
      }
    }
  };
  visit(document);
  return [...missing];
}

describe('OpenAPI', () => {
  test('Version 2 defines custom kinds beside the built-in, without dangling references', () => {
    const document = openApiV2(resources);
    const definitions = recordAt(document, 'definitions');
    expect(danglingReferences(document, '#/definitions/', definitions)).toEqual([]);
    const set = definitions['io.grove.v1alpha1.PodCliqueSet'];
    expect(valueAt(set, 'properties', 'metadata', '$ref')).toMatch(/ObjectMeta$/);
    expect(JSON.stringify(set)).not.toMatch(/"(nullable|anyOf)":/);
    expect(listAt(set, 'x-kubernetes-group-version-kind')).toEqual([
      { group: 'grove.io', kind: 'PodCliqueSet', version: 'v1alpha1' },
    ]);
  });

  const places = Object.keys(recordAt(openApiV3Index(resources), 'paths'));

  test.each(places)('The version 3 document of %s is complete in itself', (place) => {
    const [root, first = '', second = ''] = place.split('/');
    const [group, version] = root === 'api' ? ['', first] : [first, second];
    const document = openApiV3(resources, group, version);
    const schemas = recordAt(recordAt(document, 'components'), 'schemas');
    expect(danglingReferences(document, '#/components/schemas/', schemas)).toEqual([]);
    expect(Object.keys(recordAt(document, 'paths')).length).toBeGreaterThan(0);
  });

  test('Patches say what kubectl looks for: kind, action, content types, field validation', () => {
    const { paths } = openApiV3(resources, 'grove.io', 'v1alpha1');
    const path = '/apis/grove.io/v1alpha1/namespaces/{namespace}/podcliquesets/{name}';
    const patch = valueAt(paths, path, 'patch');
    expect(patch).toMatchObject({
      'x-kubernetes-action': 'patch',
      'x-kubernetes-group-version-kind': {
        group: 'grove.io',
        version: 'v1alpha1',
        kind: 'PodCliqueSet',
      },
    });
    const types = Object.keys(recordAt(valueAt(patch, 'requestBody'), 'content'));
    expect(types).not.toContain('application/strategic-merge-patch+json');
    expect(listAt(patch, 'parameters').map((each) => textAt(each, 'name'))).toContain(
      'fieldValidation',
    );
  });

  test('The address of a document changes when a CRD changes, and only then', () => {
    const address = (rows: typeof resources): unknown =>
      valueAt(
        openApiV3Index(rows),
        'paths',
        'apis/scheduler.grove.io/v1alpha1',
        'serverRelativeURL',
      );
    const changed = crd('podgangs');
    const version = listAt(recordAt(changed, 'spec'), 'versions')[0];
    recordAt(recordAt(version, 'schema'), 'openAPIV3Schema')['description'] = 'Another text.';
    expect(address([...builtin, ...resourcesOfCrd(crd('podgangs'))])).toBe(address(resources));
    expect(address([...builtin, ...resourcesOfCrd(changed)])).not.toBe(address(resources));
  });
});
