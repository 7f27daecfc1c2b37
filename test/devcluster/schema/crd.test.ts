// CRDs: the rows that ours make, and what is said of broken ones.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { resourcesOfCrd, validateCrd, validateCrdUpdate } from '#src/devcluster/schema/crd.ts';
import { allCrds, crd } from './crd-fixtures.ts';

const thing = (schema: JsonObject, version: JsonObject = {}, spec: JsonObject = {}): Stored => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Thing', listKind: 'ThingList', plural: 'things', singular: 'thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: schema } } },
        ...version,
      },
    ],
    ...spec,
  },
});

const complaints = (object: Stored): string[] =>
  validateCrd(object).map(
    (error) =>
      `${error.field.replace('spec.versions[0].schema.openAPIV3Schema', '~')}: ${error.detail}`,
  );

const text = { type: 'string' };
const at = '~.properties[spec]';

const broken: readonly (readonly [string, Stored, string | RegExp])[] = [
  [
    'a field without a type',
    thing({}),
    `${at}.type: must not be empty for specified object fields`,
  ],
  ['a list without items', thing({ type: 'array' }), `${at}.items: must be specified`],
  [
    'items without a type',
    thing({ type: 'array', items: {} }),
    `${at}.items.type: must not be empty for specified array items`,
  ],
  ['a reference', thing({ type: 'object', $ref: '#/x' }), `${at}.$ref: $ref is not supported`],
  [
    'unique items',
    thing({ type: 'array', items: text, uniqueItems: true }),
    /uniqueItems cannot be set/,
  ],
  [
    'fields and free keys at once',
    thing({ type: 'object', properties: {}, additionalProperties: text }),
    /mutual exclusive/,
  ],
  [
    'a map list without keys',
    thing({ type: 'array', items: text, 'x-kubernetes-list-type': 'map' }),
    /must not be empty if x-kubernetes-list-type is map/,
  ],
  [
    'a key that may be missing',
    thing({
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', properties: { name: text } },
    }),
    /must have a default or be a required property/,
  ],
  [
    'a pattern that cannot be read',
    thing({ type: 'string', pattern: '(' }),
    /must be a valid regular expression/,
  ],
  [
    'a default of another type',
    thing({ type: 'string', default: 1 }),
    /must be of type string: "integer"/,
  ],
  [
    'an unknown type',
    thing({ type: 'text' }),
    `${at}.type: supported values: "array", "boolean", "integer", "number", "object", "string"`,
  ],
  [
    'a rule that does not compile',
    thing({ type: 'object', 'x-kubernetes-validations': [{ rule: 'self.oops' }] }),
    `${at}.x-kubernetes-validations[0].rule: compilation failed: undefined field 'oops'`,
  ],
  [
    'two storage versions',
    thing(text, {}, { versions: [] }),
    'spec.versions: must have exactly one version marked as storage version',
  ],
  [
    'a column of no type',
    thing(text, { additionalPrinterColumns: [{ name: 'A', type: 'x', jsonPath: '.a' }] }),
    /must be one of boolean,date/,
  ],
  [
    'a column path that cannot be read',
    thing(text, { additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.a[' }] }),
    /cannot read/,
  ],
  [
    'scale paths outside spec and status',
    thing(text, {
      subresources: { scale: { specReplicasPath: '.status.n', statusReplicasPath: '.status.n' } },
    }),
    'spec.versions[0].subresources.scale.specReplicasPath: should be a json path under .spec',
  ],
  [
    'a group without a dot',
    thing(text, {}, { group: 'example' }),
    'spec.group: should be a domain with at least one dot',
  ],
  [
    'a scope that is none',
    thing(text, {}, { scope: 'World' }),
    'spec.scope: supported values: "Cluster", "Namespaced"',
  ],
];

describe('validateCrd', () => {
  test.each(allCrds().map((object): [string, Stored] => [String(object.metadata['name']), object]))(
    '%s of the chart is right',
    (_, object) => {
      expect(validateCrd(object)).toEqual([]);
    },
  );

  test.each(broken)('validateCrd refuses %s', (_, object, expected) => {
    const matching = typeof expected === 'string' ? expected : expect.stringMatching(expected);
    expect(complaints(object)).toContainEqual(matching);
  });

  test('validateCrdUpdate keeps scope and kind as they are', () => {
    const next = thing(text, {}, { scope: 'Cluster' });
    expect(validateCrdUpdate(next, thing(text)).map((error) => error.field)).toEqual([
      'spec.scope',
    ]);
  });
});

describe('resourcesOfCrd', () => {
  test('PodCliqueSet becomes a namespaced row with scale and status', () => {
    const [row, ...more] = resourcesOfCrd(crd('podcliquesets'));
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      group: 'grove.io',
      version: 'v1alpha1',
      kind: 'PodCliqueSet',
      listKind: 'PodCliqueSetList',
      singular: 'podcliqueset',
      shortNames: ['pcs'],
      namespaced: true,
      custom: true,
    });
    expect(
      row?.subresources.map(({ name, kind, scale }) => [name, kind, scale?.labelSelectorPath]),
    ).toEqual([
      ['scale', 'Scale', '.status.hpaPodSelector'],
      ['status', 'PodCliqueSet', undefined],
    ]);
    expect(row?.strategy.hasStatus).toBe(true);
    expect(row?.columns?.map((column) => column.name)).toEqual([
      'Replicas',
      'Available',
      'Updated',
      'PCLQs-Updated',
      'PCLQs-Total',
      'PCSGs-Updated',
      'PCSGs-Total',
      'Startup',
      'Strategy',
      'Hash',
      'Age',
    ]);
  });

  test('A version that is not served has no row, and one without columns shows its age', () => {
    expect(resourcesOfCrd(thing(text, { served: false }))).toEqual([]);
    expect(resourcesOfCrd(thing(text))[0]?.columns?.map((column) => column.name)).toEqual(['Age']);
  });
});

describe('A deprecated version', () => {
  const version = (name: string, more: JsonObject = {}): JsonObject => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: { openAPIV3Schema: { type: 'object' } },
    ...more,
  });
  const warnings = (...versions: JsonObject[]) =>
    resourcesOfCrd(thing({}, {}, { versions })).map(({ deprecation }) => deprecation);

  test('is warned of in its own words', () => {
    const words = { deprecated: true, deprecationWarning: 'take v1' };
    expect(warnings(version('v1'), version('v1beta1', words))).toEqual([undefined, 'take v1']);
  });

  test('names the best of those that are newer and not deprecated', () => {
    const deprecated = { deprecated: true };
    expect(
      warnings(
        version('v1alpha1', deprecated),
        version('v1beta1'),
        version('v1'),
        version('v2', { served: false }),
      ),
    ).toEqual([
      'example.com/v1alpha1 Thing is deprecated; use example.com/v1 Thing',
      undefined,
      undefined,
    ]);
    expect(warnings(version('v1', deprecated), version('v1beta1'))).toEqual([
      'example.com/v1 Thing is deprecated',
      undefined,
    ]);
  });
});
