// Admission judges whatever JSON it is sent: it never throws, and what it says can be shown.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldErrorTexts } from '#machines/kubernetes/field-errors.ts';
import type { Json } from '#machines/kubernetes/objects.ts';
import { defaultingPatch } from '#src/admission/defaults.ts';
import { adviseOn, findBindingErrors, findSetErrors } from '#src/admission/validate.ts';
import { viewSet } from '#src/admission/view.ts';
import { baseSet, baseSettings, replaced } from './examples.ts';
import { validSet } from './generate.ts';

const wholeSettings = {
  ...baseSettings,
  schedulerNames: ['default-scheduler', 'kai-scheduler', 'volcano', 'lpx-scheduler'],
  topologyAware: true,
};

function judge(set: unknown, old?: unknown): void {
  const subject = { set: viewSet(set), settings: wholeSettings, found: {} };
  const subjects = old === undefined ? [subject] : [subject, { ...subject, old: viewSet(old) }];
  for (const each of subjects) {
    fieldErrorTexts(findSetErrors(each).map(({ error }) => error));
    adviseOn(each);
  }
  defaultingPatch(set);
  findBindingErrors({ binding: set, settings: wholeSettings });
}

/** Paths to every value inside, as the examples write them. */
function pathsOf(value: Json, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => pathsOf(item, `${path}[${i}]`));
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, item]) =>
    pathsOf(item, path === '' ? key : `${path}.${key}`),
  );
  return path === '' ? inner : [path, ...inner];
}

const hostile: fc.Arbitrary<Json> = fc.oneof(
  fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json),
  fc.constantFrom<Json>('', ' ', '..', '__proto__', -1, 0, 1e300, [], {}, [[]], [{}], false),
);

describe('Admission', () => {
  it('never throws on any JSON', () => {
    fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (set, old) => judge(set, old)));
  });

  it('never throws on a valid object in which any value became another', () => {
    const paths = pathsOf(baseSet);
    fc.assert(
      fc.property(fc.constantFrom(...paths), hostile, (path, value) => {
        const set = replaced(baseSet, { [path]: value });
        judge(set, baseSet);
        judge(baseSet, set);
      }),
      { numRuns: 1000 },
    );
  });

  it('never throws on the update of any valid object to any other', () => {
    fc.assert(fc.property(validSet, validSet, (set, old) => judge(set, old)));
  });

  it('judges ten thousand cliques that wait for each other, without recursion', () => {
    const count = 10_000;
    const cliques = Array.from({ length: count }, (_, index) => ({
      name: `c${index}`,
      spec: { roleName: `r${index}`, startsAfter: [`c${(index + 1) % count}`] },
    }));
    const template = { cliqueStartupType: 'CliqueStartupTypeExplicit', cliques };
    const set = viewSet({ metadata: { name: 'x' }, spec: { template } });
    findSetErrors({ set, old: set, settings: baseSettings, found: {} });
    const found = findSetErrors({ set, settings: baseSettings, found: {} });
    expect(found.map(({ rule }) => rule)).toContain('V32');
  });
});
