// The samples of the chart are valid objects of its CRDs; broken ones are refused with the reason.
import { describe, expect, test } from 'vitest';
import { applyDefaults, prune, validate } from '#src/devcluster/schema/structural.ts';
import { allSamples, crdSchema } from '#test/devcluster/schema/crd-fixtures.ts';

const schema = crdSchema('podcliquesets');

describe('Samples', () => {
  test.each(allSamples())('%s has no unknown field and violates nothing', (_, sample) => {
    expect(prune(schema, sample)).toEqual([]);
    applyDefaults(schema, sample);
    expect(validate(schema, sample)).toEqual([]);
  });

  test('A clique without roleName is refused', () => {
    const [, sample] = allSamples()[0] ?? [];
    const broken: unknown = JSON.parse(JSON.stringify(sample).replace(/"roleName":"[^"]*",/, ''));
    expect(validate(schema, broken)).toEqual([
      { type: 'FieldValueRequired', field: 'spec.template.cliques[0].spec.roleName', detail: '' },
    ]);
  });
});
