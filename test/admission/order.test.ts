// The order in which people read what is wrong with a set: from the whole to its parts, cliques
// before groups.
import { expect, it } from 'vitest';
import { fieldErrorTexts } from '#machines/kubernetes/field-errors.ts';
import type { Example } from '#src/admission/rule.ts';
import { adviseOn, findSetErrors } from '#src/admission/validate.ts';
import { setSubject } from './examples.ts';

const template = 'spec.template';
const router = `${template}.cliques[0]`;
const decode = `${template}.podCliqueScalingGroups[0]`;

const pathsOf = (texts: readonly string[]): readonly string[] =>
  texts.map((text) => text.split(': ')[0] ?? '');

const errors = (example: Example): readonly string[] =>
  findSetErrors(setSubject(example)).map(({ error }) => fieldErrorTexts([error]));

it('Advice on names begins with the set, then its cliques, then its groups', () => {
  const given = {
    'metadata.name': 'a.b',
    [`${decode}.name`]: 'd.e',
    [`${router}.name`]: 'r.t',
  };
  const dotted = adviseOn(setSubject({ given })).filter((text) => text.includes('has a dot'));
  expect(pathsOf(dotted)).toEqual(['metadata.name', `${router}.name`, `${decode}.name`]);
});

it('Constraints that are too narrow are told of the set before its groups', () => {
  const top = `${template}.topologyConstraint`;
  const narrow = { topologyName: 'fabric', pack: { required: 'rack' } };
  const wide = { pack: { required: 'block' } };
  const found = errors({
    settings: { topologyAware: true },
    found: { bindings: { fabric: { is: 'there', domains: ['block', 'rack', 'host'] } } },
    given: {
      [top]: narrow,
      [`${router}.topologyConstraint`]: wide,
      [`${decode}.topologyConstraint`]: { pack: { required: 'host' } },
      [`${template}.cliques[1].topologyConstraint`]: { pack: { required: 'rack' } },
    },
  });
  expect(pathsOf(found)).toEqual([top, `${decode}.topologyConstraint`]);
});

it('Of two wrong queues of Volcano that of the set is told', () => {
  const key = 'scheduling.grove.io/volcano-queue';
  const found = errors({
    settings: { defaultSchedulerName: 'volcano', schedulerNames: ['volcano'] },
    given: {
      [`metadata.annotations`]: { [key]: '-set' },
      [`${router}.annotations`]: { [key]: '-clique' },
    },
  });
  expect(found[0]).toContain(`${key} is "-set"`);
});
