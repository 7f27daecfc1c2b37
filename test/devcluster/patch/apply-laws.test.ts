// Laws of server-side apply on random configurations over a schema with every kind of merging.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import type { Schema, Stored } from '#src/devcluster/contract.ts';
import { serverSideApply } from '#src/devcluster/patch/apply.ts';
import { decodeFields, encodeFields, sameSet } from '#src/devcluster/patch/field-set.ts';
import { trackManagedFields } from '#src/devcluster/patch/managed-fields.ts';
import { fieldsOf } from '#src/devcluster/patch/typed.ts';
import { objectSchema } from '#src/devcluster/schema/object-schema.ts';
import { isRecord } from '#src/devcluster/schema/record.ts';

const text = { type: 'string' };
const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        one: text,
        two: text,
        labels: { type: 'object', additionalProperties: text },
        selector: { type: 'object', additionalProperties: text, 'x-kubernetes-map-type': 'atomic' },
        args: { type: 'array', items: text },
        tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        items: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', properties: { name: text, value: text } },
        },
      },
    },
  },
};

/** Configurations whose names all start with a letter: two letters never meet. */
function config(letter: string): fc.Arbitrary<JsonObject> {
  const name = fc.constantFrom('1', '2', '3').map((digit) => letter + digit);
  const value = fc.constantFrom('x', 'y');
  const item = fc.record({ name, value }, { requiredKeys: ['name'] });
  const labels = fc.dictionary(name, value, { maxKeys: 3, minKeys: 1, noNullPrototype: true });
  const tags = fc.uniqueArray(name, { maxLength: 3, minLength: 1 });
  const items = fc.uniqueArray(item, {
    maxLength: 3,
    minLength: 1,
    selector: (each) => each.name,
  });
  const own: Record<string, fc.Arbitrary<Json>> = letter === 'a'
    ? { one: value, args: fc.array(value, { maxLength: 2 }) }
    : { two: value, selector: fc.constant({ k: letter }) };
  const fields: Record<string, fc.Arbitrary<Json>> = { ...own, labels, tags, items };
  return fc.record(fields, { requiredKeys: [] }).map((parts) => {
    const spec: JsonObject = {};
    for (const [key, part] of Object.entries(parts)) if (part !== undefined) spec[key] = part;
    return spec;
  });
}

const stored = (spec: JsonObject): Stored => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name: 'it' },
  spec,
});

const writer = {
  schema,
  now: '2026-01-01T00:00:00Z',
  subresource: '',
  apiVersion: 'example.com/v1',
};

function apply(live: Stored | undefined, spec: JsonObject, manager: string): Stored {
  const result = serverSideApply({ ...writer, live, applied: stored(spec), manager, force: false });
  if (!('object' in result)) throw new Error(JSON.stringify(result));
  return result.object;
}

/** Lists without their order: appliers of a shared list decide it by who comes last. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    return value.map(sorted).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, sorted(inner)]));
};

const isEmpty = (value: unknown): boolean => value === undefined || JSON.stringify(value) === '{}';

describe('Laws of apply', () => {
  test('An apply is idempotent: the second changes nothing', () => {
    fc.assert(
      fc.property(config('a'), config('b'), (a, b) => {
        const live = apply(apply(undefined, b, 'B'), a, 'A');
        expect(apply(live, a, 'A')).toBe(live);
      }),
    );
  });

  test('Managers with disjoint fields commute', () => {
    fc.assert(
      fc.property(config('a'), config('b'), (a, b) => {
        const ab = apply(apply(undefined, a, 'A'), b, 'B');
        const ba = apply(apply(undefined, b, 'B'), a, 'A');
        expect(sorted(ab)).toEqual(sorted(ba));
      }),
    );
  });

  test('What a manager applied and no longer applies is gone, and nothing else', () => {
    fc.assert(
      fc.property(config('a'), config('a'), config('b'), (first, second, b) => {
        const live = apply(apply(undefined, b, 'B'), first, 'A');
        const direct = apply(apply(undefined, b, 'B'), second, 'A');
        const next = apply(live, second, 'A');
        expect(sorted(next['spec'])).toEqual(sorted(direct['spec']));
      }),
    );
  });

  test('An apply of nothing leaves exactly what the others have', () => {
    fc.assert(
      fc.property(config('a'), config('b'), (a, b) => {
        const alone = apply(undefined, b, 'B');
        const left = apply(apply(alone, a, 'A'), {}, 'A');
        if (isEmpty(left['spec'])) expect(isEmpty(alone['spec'])).toBe(true);
        else expect(sorted(left['spec'])).toEqual(sorted(alone['spec']));
      }),
    );
  });

  test('What was applied is in the object, and fieldsV1 survives its encoding', () => {
    fc.assert(
      fc.property(config('a'), config('b'), (a, b) => {
        const live = apply(apply(undefined, b, 'B'), a, 'A');
        const { tags: _tags, items: _items, ...plain } = a;
        expect(live['spec'] ?? {}).toMatchObject(plain);
        const set = fieldsOf(live, objectSchema(schema));
        expect(sameSet(decodeFields(JSON.parse(JSON.stringify(encodeFields(set)))), set)).toBe(
          true,
        );
      }),
    );
  });

  test('An ordinary write leaves an applier no field that is not there any more', () => {
    fc.assert(
      fc.property(config('a'), config('a'), (a, next) => {
        const before = apply(undefined, a, 'A');
        const after = { ...before, spec: next };
        const entries = trackManagedFields({
          ...writer,
          before,
          after,
          manager: 'U',
          operation: 'Update',
        });
        const [first] = entries.filter((entry) => entry['manager'] === 'A');
        const kept = decodeFields(first?.['fieldsV1']);
        const present = fieldsOf(after, objectSchema(schema));
        // A struct that was empty is owned as such, and is there with fields as well.
        const covers = (outer: typeof kept, inner: typeof kept): boolean =>
          [...inner.kids].every(([element, kid]) => {
            const other = outer.kids.get(element);
            return other !== undefined && covers(other, kid);
          });
        expect(covers(present, kept)).toBe(true);
      }),
    );
  });
});
