// Rules for the claim templates of a PodCliqueSet (spec api 3.3: V4-V6).
import { required } from '#machines/kubernetes/field-errors.ts';
import { at, list } from '#machines/kubernetes/json.ts';
import { examples, type Rule, unique, unless } from '../rule.ts';
import { namesOf, type SetSubject } from '../view.ts';
import { template, templatesOf, templatesPath as templates } from './entries.ts';

export const claimRules: readonly Rule<SetSubject>[] = [
  {
    id: 'V4',
    field: `${templates}[n].name`,
    demands: 'not be empty',
    check: ({ set }) =>
      templatesOf(set).flatMap(({ path, name }) =>
        unless(name !== '', () => required(`${path}.name`, 'a claim template needs a name')),
      ),
    ...examples(
      templates,
      [template('shared')],
      [[template('')], `${templates}[0].name: Required value: a claim template needs a name`],
    ),
  },
  {
    id: 'V5',
    field: `${templates}[n].templateSpec.spec.devices.requests`,
    demands: 'hold at least one device request',
    check: ({ set }) =>
      templatesOf(set).flatMap(({ path, raw }) =>
        unless(list(at(raw, 'templateSpec', 'spec', 'devices', 'requests')).length > 0, () =>
          required(
            `${path}.templateSpec.spec.devices.requests`,
            'must hold at least one device request',
          ),
        ),
      ),
    ...examples(
      templates,
      [template('shared')],
      [
        [{ name: 'shared', templateSpec: { spec: {} } }],
        `${templates}[0].templateSpec.spec.devices.requests:` +
          ' Required value: must hold at least one device request',
      ],
    ),
  },
  {
    id: 'V6',
    field: `${templates}.name`,
    demands: 'be unique among the claim templates',
    check: ({ set }) => unique(`${templates}.name`, namesOf(templatesOf(set))),
    ...examples(
      templates,
      [template('a'), template('b')],
      [[template('a'), template('a')], `${templates}.name: Duplicate value: "a"`],
    ),
  },
];
