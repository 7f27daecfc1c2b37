// Laws of defaulting and pruning on random objects over a schema with every kind of node.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Schema } from '#src/devcluster/contract.ts';
import {
  applyDefaults,
  prune,
  unknownFields,
  validate,
} from '#src/devcluster/schema/structural.ts';

const text = { type: 'string' };
const leaf = { type: 'object', properties: { a: { ...text, default: 'x' }, b: text } };
const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      default: {},
      properties: {
        a: leaf,
        b: { type: 'array', items: leaf },
        c: { type: 'object', additionalProperties: leaf },
        d: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { a: leaf },
        },
        e: { 'x-kubernetes-int-or-string': true },
      },
    },
  },
};

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('x', 1, true, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), tie('value'), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  ),
})).value;
const objects = json.map((spec) => ({ spec }));

describe('Laws of structural schemas', () => {
  test('Pruning twice is pruning once, and finds what unknownFields announced', () => {
    fc.assert(
      fc.property(objects, (object) => {
        const announced = unknownFields(schema, object);
        expect(prune(schema, object)).toEqual(announced);
        const once = structuredClone(object);
        expect(prune(schema, object)).toEqual([]);
        expect(object).toEqual(once);
      }),
    );
  });

  test('Defaulting twice is defaulting once, and breaks nothing that was valid', () => {
    fc.assert(
      fc.property(objects, (object) => {
        const wasValid = validate(schema, object).length === 0;
        applyDefaults(schema, object);
        const once = structuredClone(object);
        applyDefaults(schema, object);
        expect(object).toEqual(once);
        if (wasValid) expect(validate(schema, object)).toEqual([]);
      }),
    );
  });
});
