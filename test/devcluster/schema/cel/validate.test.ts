// CEL rules: Kubernetes' meaning of self and oldSelf, messages, reasons, and defects at creation.
import { describe, expect, test } from 'vitest';
import type { Schema } from '#src/devcluster/contract.ts';
import { ruleDefects, validateRules } from '#src/devcluster/schema/cel/validate.ts';
import { allSamples, crdSchema } from '../crd-fixtures.ts';

const number = { type: 'integer' };
const withRule = (rule: object, properties: object = { a: number, b: number }): Schema => ({
  type: 'object',
  properties: { spec: { type: 'object', properties, 'x-kubernetes-validations': [rule] } },
});

const errors = (schema: Schema, spec: unknown, old?: unknown): string[] =>
  validateRules(schema, { spec }, old === undefined ? undefined : { spec: old }).map(
    (error) => `${error.type} ${error.field}: ${error.detail}`,
  );

const text = { type: 'string' };
const texts = { type: 'array', items: text };

const truths: readonly (readonly [string, object, unknown, boolean])[] = [
  ['self.a + 1 == self.b', { a: number, b: number }, { a: 1, b: 2 }, true],
  ['has(self.a) && !has(self.b)', { a: number, b: number }, { a: 1 }, true],
  ['self.l.all(x, x.startsWith("a"))', { l: texts }, { l: ['ab', 'ac'] }, true],
  ['self.l.exists(x, size(x) > 3)', { l: texts }, { l: ['ab'] }, false],
  ['self.l.isSorted()', { l: texts }, { l: ['b', 'a'] }, false],
  [
    'self.n.sum() == 6 && self.n.max() == 3',
    { n: { type: 'array', items: number } },
    { n: [1, 2, 3] },
    true,
  ],
  ['self.t.matches("^[a-z]+$")', { t: text }, { t: 'abc' }, true],
  ['self.t.replace("a", "b") == "bb"', { t: text }, { t: 'ab' }, true],
  ['self.t.find("[0-9]+") == "12"', { t: text }, { t: 'a12b' }, true],
  ['isIP(self.t) && ip(self.t).family() == 4', { t: text }, { t: '10.0.0.1' }, true],
  [
    'isURL(self.t) && url(self.t).getScheme() == "https"',
    { t: text },
    { t: 'https://x.y/z' },
    true,
  ],
  ['isQuantity(self.t)', { t: text }, { t: '10Gi' }, true],
  [
    'self.__in__ == "x" && self.a__dash__b == 1',
    { in: text, 'a-b': number },
    { in: 'x', 'a-b': 1 },
    true,
  ],
  [
    'self.when < timestamp("2030-01-01T00:00:00Z")',
    { when: { type: 'string', format: 'date-time' } },
    { when: '2026-01-01T00:00:00Z' },
    true,
  ],
  ['self.score > 0.5', { score: { type: 'number' } }, { score: 1 }, true],
  [
    '"k" in self.m && self.m["k"] == "v"',
    { m: { type: 'object', additionalProperties: text } },
    { m: { k: 'v' } },
    true,
  ],
  ['self.?a.orValue(7) == 7', { a: number }, {}, true],
];

describe('validateRules', () => {
  test.each(truths)('The rule %s is decided as in Kubernetes', (rule, properties, spec, holds) => {
    expect(errors(withRule({ rule, message: 'no' }, properties), spec)).toEqual(
      holds ? [] : ['FieldValueInvalid spec: no'],
    );
  });

  test('A rule about oldSelf is skipped on create and decided on update', () => {
    const schema = withRule({ rule: 'self.a == oldSelf.a', message: 'a is immutable' });
    expect(errors(schema, { a: 1 })).toEqual([]);
    expect(errors(schema, { a: 1 }, { a: 1 })).toEqual([]);
    expect(errors(schema, { a: 2 }, { a: 1 })).toEqual(['FieldValueInvalid spec: a is immutable']);
  });

  test('A rule with an optional oldSelf is decided on create too', () => {
    const schema = withRule({ rule: 'oldSelf.hasValue() || self.a > 0', optionalOldSelf: true });
    expect(errors(schema, { a: 0 })).toEqual([
      'FieldValueInvalid spec: failed rule: oldSelf.hasValue() || self.a > 0',
    ]);
    expect(errors(schema, { a: 0 }, { a: 0 })).toEqual([]);
  });

  test('A message expression, a reason and a field path shape the error', () => {
    const schema = withRule({
      rule: 'self.a < self.b',
      messageExpression: '"b must be above " + string(self.a)',
      reason: 'FieldValueForbidden',
      fieldPath: '.b',
    });
    expect(errors(schema, { a: 3, b: 1 })).toEqual([
      'FieldValueForbidden spec.b: b must be above 3',
    ]);
  });

  test('A rule that cannot be evaluated is an error with the reason', () => {
    expect(errors(withRule({ rule: 'self.a > 0' }), {})).toEqual([
      'FieldValueInvalid spec: No such key: a evaluating rule: self.a > 0',
    ]);
  });

  test('Items of a map list are compared with the old item of the same key', () => {
    const item = {
      type: 'object',
      properties: { name: text, size: number },
      'x-kubernetes-validations': [{ rule: 'self.size >= oldSelf.size', message: 'cannot shrink' }],
    };
    const list = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: item,
    };
    const schema: Schema = { type: 'object', properties: { spec: list } };
    const before = [
      { name: 'x', size: 5 },
      { name: 'y', size: 5 },
    ];
    const after = [
      { name: 'y', size: 4 },
      { name: 'z', size: 1 },
      { name: 'x', size: 5 },
    ];
    expect(errors(schema, after, before)).toEqual(['FieldValueInvalid spec[0]: cannot shrink']);
  });
});

describe('ruleDefects', () => {
  const defects = (rule: object): string[] =>
    ruleDefects({
      type: 'object',
      properties: { a: number },
      'x-kubernetes-validations': [rule],
    }).map((defect) => `${defect.keyword}: ${defect.detail}`);

  test('A rule that does not compile is named with the reason', () => {
    expect(defects({ rule: 'self.a >' })[0]).toMatch(/^rule: compilation failed: /);
    expect(defects({ rule: 'self.a' })).toEqual([]);
    expect(defects({ rule: 'size("a")' })).toEqual([
      'rule: compilation failed: must evaluate to a bool, not int',
    ]);
    expect(defects({ rule: 'authorizer.check()' })[0]).toMatch(/Unknown variable: authorizer/);
    expect(defects({ rule: 'format.dns1123Label().validate(self.a)' })[0]).toMatch(
      /compilation failed/,
    );
    expect(defects({ rule: 'self.b > 1' })).toEqual([
      "rule: compilation failed: undefined field 'b'",
    ]);
    expect(defects({ rule: '' })).toEqual(['rule: rule is not specified']);
    expect(defects({ rule: 'true', reason: 'Because' })[0]).toMatch(/^reason: supported values/);
  });
});

describe('Rules of PodCliqueSet', () => {
  const schema = crdSchema('podcliquesets');
  const [, sample] = allSamples().find(([name]) => name === 'pipeline.yaml') ?? [];
  const withConstraint = (place: 'set' | 'clique' | 'group', constraint: object): unknown => {
    const copy = JSON.parse(JSON.stringify(sample));
    const { template } = copy.spec;
    const target =
      place === 'set'
        ? template
        : place === 'clique'
          ? template.cliques[0]
          : template.podCliqueScalingGroups[0];
    target.topologyConstraint = constraint;
    return copy;
  };
  const report = (object: unknown, live?: unknown): string[] =>
    validateRules(schema, object, live).map((error) => `${error.type} ${error.field}`);

  test('A constraint needs pack, and pack needs a domain', () => {
    expect(report(withConstraint('set', { topologyName: 't' }))).toEqual([
      'FieldValueRequired spec.template.topologyConstraint.pack',
    ]);
    expect(report(withConstraint('clique', { pack: {} }))).toEqual([
      'FieldValueRequired spec.template.cliques[0].topologyConstraint.pack',
    ]);
    expect(report(withConstraint('group', { pack: { preferred: 'rack' } }))).toEqual([]);
  });

  test('The old spelling is refused on create, at each level, and kept on update', () => {
    const old = { packDomain: 'rack' };
    expect(report(withConstraint('set', old))).toEqual([
      'FieldValueForbidden spec.template.topologyConstraint.packDomain',
    ]);
    expect(report(withConstraint('clique', old))).toEqual([
      'FieldValueForbidden spec.template.cliques',
    ]);
    expect(report(withConstraint('group', old))).toEqual([
      'FieldValueForbidden spec.template.podCliqueScalingGroups',
    ]);
    expect(report(withConstraint('set', old), withConstraint('set', old))).toEqual([]);
    const both = withConstraint('set', { packDomain: 'rack', pack: { required: 'rack' } });
    expect(report(both, sample)).toEqual([
      'FieldValueInvalid spec.template.topologyConstraint.pack.required',
    ]);
  });
});
