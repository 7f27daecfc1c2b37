// Defaulting, pruning and validation, in kube-apiserver's words, and how long they take.
import { describe, expect, test } from 'vitest';
import type { Schema } from '#src/devcluster/contract.ts';
import { definitions } from '#src/devcluster/schema/definitions.ts';
import {
  applyDefaults,
  prune,
  unknownFields,
  validate,
} from '#src/devcluster/schema/structural.ts';
import { allSamples, crdSchema } from './crd-fixtures.ts';

const pod = definitions.get('io.k8s.api.core.v1.Pod') ?? {};
const setSchema = crdSchema('podcliquesets');

const lines = (schema: Schema, spec: unknown): string[] =>
  validate({ type: 'object', properties: { spec: schema } }, { spec }).map(
    (error) => `${error.field}: ${error.type}: ${JSON.stringify(error.value)}: ${error.detail}`,
  );

const violations: readonly (readonly [string, Schema, unknown, string[]])[] = [
  [
    'a wrong type',
    { type: 'object', properties: { replicas: { type: 'integer' } } },
    { replicas: 'three' },
    [
      'spec.replicas: FieldValueTypeInvalid: "string": spec.replicas in body must be of type integer: "string"',
    ],
  ],
  [
    'a fraction for an integer',
    { type: 'integer' },
    1.5,
    ['spec: FieldValueTypeInvalid: "number": spec in body must be of type integer: "number"'],
  ],
  [
    'a null',
    { type: 'string' },
    null,
    ['spec: FieldValueTypeInvalid: "null": spec in body must be of type string: "null"'],
  ],
  [
    'a missing field',
    { type: 'object', required: ['a'] },
    {},
    ['spec.a: FieldValueRequired: undefined: '],
  ],
  [
    'a value outside an enum',
    { type: 'string', enum: ['a', 'b'] },
    'x',
    ['spec: FieldValueNotSupported: "x": supported values: "a", "b"'],
  ],
  [
    'a number that is too small',
    { type: 'integer', minimum: 1 },
    0,
    ['spec: FieldValueInvalid: 0: spec in body should be greater than or equal to 1'],
  ],
  [
    'a number that is too large',
    { type: 'integer', maximum: 5, exclusiveMaximum: true },
    5,
    ['spec: FieldValueInvalid: 5: spec in body should be less than 5'],
  ],
  [
    'a number that is no multiple',
    { type: 'integer', multipleOf: 2 },
    3,
    ['spec: FieldValueInvalid: 3: spec in body should be a multiple of 2'],
  ],
  [
    'a text that does not match',
    { type: 'string', pattern: '^[a-z]+$' },
    'A',
    ['spec: FieldValueInvalid: "A": spec in body should match \'^[a-z]+$\''],
  ],
  [
    'a text that is too long',
    { type: 'string', maxLength: 2 },
    'abc',
    ['spec: FieldValueTooLong: "abc": may not be more than 2 bytes'],
  ],
  [
    'a text that is too short',
    { type: 'string', minLength: 2 },
    'a',
    ['spec: FieldValueInvalid: "a": spec in body should be at least 2 chars long'],
  ],
  [
    'too few items',
    { type: 'array', minItems: 1, items: { type: 'string' } },
    [],
    ['spec: FieldValueInvalid: []: spec in body should have at least 1 items'],
  ],
  [
    'too many items',
    { type: 'array', maxItems: 1, items: { type: 'string' } },
    ['a', 'b'],
    ['spec: FieldValueTooMany: 2: must have at most 1 items'],
  ],
  [
    'an item that comes twice',
    {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', properties: { name: { type: 'string' } } },
    },
    [{ name: 'a' }, { name: 'a' }],
    ['spec[1]: FieldValueDuplicate: {"name":"a"}: '],
  ],
  [
    'a time that is none',
    { type: 'string', format: 'date-time' },
    'soon',
    ['spec: FieldValueTypeInvalid: "soon": spec in body must be of type date-time: "soon"'],
  ],
  [
    'a number that is too wide',
    { type: 'integer', format: 'int32' },
    2 ** 31,
    ['spec: FieldValueTypeInvalid: 2147483648: spec in body must be of type int32: 2147483648'],
  ],
  [
    'a boolean for an int-or-string',
    { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    true,
    [
      'spec: FieldValueTypeInvalid: "boolean": spec in body must be of type integer,string: "boolean"',
    ],
  ],
  [
    'a value that fits no alternative',
    { type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    {},
    ['spec: FieldValueInvalid: {}: spec in body must validate at least one schema (anyOf)'],
  ],
];

describe('validate', () => {
  test.each(violations)('validate reports %s', (_, schema, value, expected) => {
    expect(lines(schema, value)).toEqual(expected);
  });

  test('validate takes null where the schema is nullable, and anywhere in built-in kinds', () => {
    expect(lines({ type: 'string', nullable: true }, null)).toEqual([]);
    expect(
      validate(pod, { metadata: { creationTimestamp: null }, spec: { containers: [] } }),
    ).toEqual([]);
  });

  test('validate finds wrong types in the pod schema of a PodCliqueSet', () => {
    const sample = structuredClone(allSamples()[0]?.[1]);
    const broken = JSON.parse(
      JSON.stringify(sample).replace('"image":', '"ports":[{"containerPort":"80"}],"image":'),
    );
    expect(validate(setSchema, broken).map((error) => error.field)).toEqual([
      'spec.template.cliques[0].spec.podSpec.containers[0].ports[0].containerPort',
    ]);
  });
});

describe('applyDefaults', () => {
  test('applyDefaults fills in absent fields and nulls, into new copies each time', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'integer', default: 1 },
        b: { type: 'object', default: { c: [] } },
        n: { type: 'string', nullable: true, default: 'x' },
      },
    };
    const one: Record<string, unknown> = { a: null, n: null };
    const two: Record<string, unknown> = {};
    applyDefaults(schema, one);
    applyDefaults(schema, two);
    expect(one).toEqual({ a: 1, b: { c: [] }, n: null });
    expect(one['b']).not.toBe(two['b']);
  });

  test('applyDefaults reaches into lists and maps of a PodCliqueSet', () => {
    const set = { spec: { template: { cliques: [], podCliqueScalingGroups: [{ name: 'g' }] } } };
    applyDefaults(setSchema, set);
    expect(set).toEqual({
      spec: {
        replicas: 0,
        template: {
          cliqueStartupType: 'CliqueStartupTypeAnyOrder',
          cliques: [],
          podCliqueScalingGroups: [{ name: 'g', replicas: 1, minAvailable: 1 }],
        },
      },
    });
  });
});

describe('prune', () => {
  test('prune removes what the schema does not know and says where it was', () => {
    const object = {
      apiVersion: 'grove.io/v1alpha1',
      kind: 'PodCliqueSet',
      metadata: { name: 'x', colour: 'red', labels: { a: 'b' } },
      spec: { template: { cliques: [{ name: 'a', rolName: 'x' }] }, extra: { deep: 1 } },
    };
    const paths = ['metadata.colour', 'spec.template.cliques[0].rolName', 'spec.extra'];
    expect(unknownFields(setSchema, object)).toEqual(paths);
    expect(prune(setSchema, object)).toEqual(paths);
    expect(object.spec).toEqual({ template: { cliques: [{ name: 'a' }] } });
    expect(object.metadata).toEqual({ name: 'x', labels: { a: 'b' } });
  });

  test('prune keeps what is marked to be kept and prunes known fields inside it', () => {
    const schema = {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'object', properties: {} } },
        },
        embedded: { type: 'object', 'x-kubernetes-embedded-resource': true },
      },
    };
    const object = {
      spec: { anything: { goes: 1 }, known: { not: 'here' } },
      embedded: { apiVersion: 'v1', kind: 'X', metadata: { name: 'a', odd: 1 }, spec: {} },
    };
    expect(prune(schema, object).toSorted()).toEqual([
      'embedded.metadata.odd',
      'embedded.spec',
      'spec.known.not',
    ]);
    expect(object.spec).toEqual({ anything: { goes: 1 }, known: {} });
  });

  test('prune drops nulls of built-in kinds, which mean absence there', () => {
    const object = {
      metadata: { creationTimestamp: null, name: 'a' },
      spec: { containers: [], x: 1 },
    };
    expect(prune(pod, object)).toEqual(['spec.x']);
    expect(object).toEqual({ metadata: { name: 'a' }, spec: { containers: [] } });
  });
});
