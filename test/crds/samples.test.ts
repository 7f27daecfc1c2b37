// The samples of the chart are valid objects of its CRDs; broken ones are refused with the reason.
import { describe, expect, test } from 'vitest';
import { at, list } from '#machines/kubernetes/json.ts';
import { applyDefaults, prune, validate } from '#src/devcluster/schema/structural.ts';
import { allSamples, crdSchema, samplesOf } from '#test/devcluster/schema/crd-fixtures.ts';

const schema = crdSchema('podcliquesets');

describe('Samples', () => {
  test.each(allSamples())('%s has no unknown field and violates nothing', (_, sample) => {
    expect(prune(schema, sample)).toEqual([]);
    applyDefaults(schema, sample);
    expect(validate(schema, sample)).toEqual([]);
  });

  test('The one of a ComputeDomain has no unknown field, and a claim to its channel', () => {
    const domains = crdSchema('computedomains');
    const [[, domain] = [], ...others] = samplesOf('ComputeDomain');
    expect(others).toEqual([]);
    expect(prune(domains, domain)).toEqual([]);
    expect(validate(domains, domain)).toEqual([]);
    const named = at(domain, 'spec', 'channel', 'resourceClaimTemplate', 'name');
    const [, set] = allSamples().find(([name]) => name === 'compute-domain.yaml') ?? [];
    const [clique] = list(at(set, 'spec', 'template', 'cliques'));
    const claims = list(at(clique, 'spec', 'podSpec', 'resourceClaims'));
    expect(claims.map((claim) => at(claim, 'resourceClaimTemplateName'))).toEqual([named]);
  });

  test.each([
    ['Sandbox', 'sandboxes', ['workbench']],
    ['SandboxTemplate', 'sandboxtemplates', ['python']],
    ['SandboxWarmPool', 'sandboxwarmpools', ['python']],
    ['SandboxClaim', 'sandboxclaims', ['alice', 'bob']],
  ])('Those of the kind %s have no unknown field and violate nothing', (kind, plural, names) => {
    const found = samplesOf(kind).map(([, sample]) => sample);
    expect(found.map((sample) => at(sample, 'metadata', 'name'))).toEqual(names);
    for (const sample of found) {
      expect(prune(crdSchema(plural), sample)).toEqual([]);
      expect(validate(crdSchema(plural), sample)).toEqual([]);
    }
  });

  test('A clique without roleName is refused', () => {
    const [, sample] = allSamples()[0] ?? [];
    const broken: unknown = JSON.parse(JSON.stringify(sample).replace(/"roleName":"[^"]*",/, ''));
    expect(validate(schema, broken)).toEqual([
      { type: 'FieldValueRequired', field: 'spec.template.cliques[0].spec.roleName', detail: '' },
    ]);
  });
});
