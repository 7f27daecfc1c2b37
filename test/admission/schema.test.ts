// What the rules accept the CRDs accept too: a schema that is stricter than the rules would refuse
// manifests that Grove takes, and with other words.
import { describe, expect, it } from 'vitest';
import type { Example } from '#src/admission/rule.ts';
import { defaultingPatch } from '#src/admission/defaults.ts';
import {
  advice,
  adviseOn,
  bindingSections,
  findSetErrors,
  setSections,
} from '#src/admission/validate.ts';
import { viewSet } from '#src/admission/view.ts';
import { jsonPatch } from '#src/devcluster/patch/json.ts';
import { applyDefaults, prune, validate } from '#src/devcluster/schema/structural.ts';
import { allSamples, crdSchema } from '#test/devcluster/schema/crd-fixtures.ts';
import { baseBinding, baseSet, baseSettings, replaced } from './examples.ts';

const sets = crdSchema('podcliquesets');
const bindings = crdSchema('clustertopologybindings');

const rows: readonly (readonly [id: string, example: Example])[] = [
  ...setSections
    .flatMap(({ stages }) => stages.flat())
    .map(({ id, accepts }) => [id, accepts] as const),
  ...advice.map(({ id, advises }) => [id, advises] as const),
];

describe('The schema of PodCliqueSets', () => {
  it.each(rows)('accepts what rule %s accepts', (_, { given }) => {
    const set = replaced(baseSet, given);
    expect(prune(sets, set)).toEqual([]);
    expect(validate(sets, set)).toEqual([]);
  });
});

describe('The schema of ClusterTopologyBindings', () => {
  it.each(
    bindingSections
      .flatMap(({ stages }) => stages.flat())
      .map(({ id, accepts }) => [id, accepts] as const),
  )('accepts what rule %s accepts', (_, { given }) => {
    const binding = replaced(baseBinding, given);
    expect(prune(bindings, binding)).toEqual([]);
    expect(validate(bindings, binding)).toEqual([]);
  });
});

describe('The samples of the chart', () => {
  it.each(allSamples())('%s is accepted without a warning', (_, sample) => {
    applyDefaults(sets, sample);
    const defaulted = jsonPatch(sample, defaultingPatch(sample));
    const set = viewSet('value' in defaulted ? defaulted.value : undefined);
    const subject = { set, settings: baseSettings, found: {} };
    expect(findSetErrors(subject)).toEqual([]);
    expect(adviseOn(subject)).toEqual([]);
  });
});
