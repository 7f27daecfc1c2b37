// Rules for the claim templates of a PodCliqueSet (spec api 3.3: V4-V6).
import { duplicate, required } from '#machines/kubernetes/field-errors.ts';
import { at, list } from '#machines/kubernetes/json.ts';
import { type Rule, unless } from '../rule.ts';
import { repeated, type SetSubject } from '../view.ts';
import { template, templatesOf, templatesPath as templates } from './entries.ts';

export const claimRules: readonly Rule<SetSubject>[] = [
  {
    id: 'V4',
    field: `${templates}[n].name`,
    types: ['FieldValueRequired'],
    demands: 'not be empty',
    check: ({ set }) =>
      templatesOf(set).flatMap(({ path, name }) =>
        unless(name !== '', () => required(`${path}.name`, 'a claim template needs a name')),
      ),
    accepts: { given: { [templates]: [template('shared')] } },
    refuses: [
      {
        given: { [templates]: [template('')] },
        says: `${templates}[0].name: Required value: a claim template needs a name`,
      },
    ],
  },
  {
    id: 'V5',
    field: `${templates}[n].templateSpec.spec.devices.requests`,
    types: ['FieldValueRequired'],
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
    accepts: { given: { [templates]: [template('shared')] } },
    refuses: [
      {
        given: { [templates]: [{ name: 'shared', templateSpec: { spec: {} } }] },
        says:
          `${templates}[0].templateSpec.spec.devices.requests:` +
          ' Required value: must hold at least one device request',
      },
    ],
  },
  {
    id: 'V6',
    field: `${templates}.name`,
    types: ['FieldValueDuplicate'],
    demands: 'be unique among the claim templates',
    check: ({ set }) =>
      repeated(templatesOf(set).map(({ name }) => name)).map((name) =>
        duplicate(`${templates}.name`, name),
      ),
    accepts: { given: { [templates]: [template('a'), template('b')] } },
    refuses: [
      {
        given: { [templates]: [template('a'), template('a')] },
        says: `${templates}.name: Duplicate value: "a"`,
      },
    ],
  },
];
