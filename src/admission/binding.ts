// Rules for ClusterTopologyBindings (spec api 3.8), on create and update alike. The reported paths
// say schedulerTopologyReferences, as Grove's do; the field is schedulerTopologyBindings.
import { topologyBackends } from '#machines/grove/topologybinding/backends.ts';
import { duplicate, invalid } from '#machines/kubernetes/field-errors.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { type FieldError, type Rule, unless } from './rule.ts';
import type { AdmissionSettings } from './settings.ts';
import { quoted } from './words.ts';

/** What a rule for ClusterTopologyBindings looks at. */
export interface BindingSubject {
  readonly binding: unknown;
  readonly settings: AdmissionSettings;
}

const levels = 'spec.levels';
const reported = 'spec.schedulerTopologyReferences';
const entries = 'spec.schedulerTopologyBindings';

const kai = { schedulerName: 'kai-scheduler', topologyReference: 'fabric' };
const withKai = { schedulerNames: ['default-scheduler', 'kai-scheduler'] };

export const bindingRules: readonly Rule<BindingSubject>[] = [
  unique('C1', 'domain', 'rack', 'name each domain once'),
  unique('C2', 'key', 'topology.io/rack', 'name each node label key once'),
  {
    id: 'C3',
    field: `${reported}[n].schedulerName`,
    types: ['FieldValueDuplicate'],
    demands: 'name each scheduler once',
    check: ({ binding }) => again(reported, 'schedulerName', schedulersOf(binding)),
    accepts: { given: { [entries]: [kai] }, settings: withKai },
    refuses: [
      {
        given: { [entries]: [kai, kai] },
        settings: withKai,
        says: `${reported}[1].schedulerName: Duplicate value: "kai-scheduler"`,
      },
    ],
  },
  {
    id: 'C4',
    field: `${reported}[n].schedulerName`,
    types: ['FieldValueInvalid'],
    demands: 'name an enabled backend',
    check: ({ binding, settings }) =>
      schedulersOf(binding).flatMap((name, index) =>
        unless(settings.schedulerNames.includes(name), () =>
          invalid(
            `${reported}[${index}].schedulerName`,
            name,
            `this scheduler is not enabled; enabled are ${quoted(settings.schedulerNames)}`,
          ),
        ),
      ),
    accepts: { given: { [entries]: [kai] }, settings: withKai },
    refuses: [
      {
        given: { [entries]: [kai] },
        says:
          `${reported}[0].schedulerName: Invalid value: "kai-scheduler":` +
          ' this scheduler is not enabled; enabled are "default-scheduler"',
      },
    ],
  },
  {
    id: 'C5',
    field: `${reported}[n].schedulerName`,
    types: ['FieldValueInvalid'],
    demands: `name a backend that supports topologies: ${topologyBackends.join(', ')}`,
    check: ({ binding, settings }) =>
      schedulersOf(binding).flatMap((name, index) =>
        unless(
          topologyBackends.some((each) => each === name) || !settings.schedulerNames.includes(name),
          () =>
            invalid(
              `${reported}[${index}].schedulerName`,
              name,
              `this scheduler has no topologies; ${quoted(topologyBackends)} has`,
            ),
        ),
      ),
    accepts: { given: { [entries]: [kai] }, settings: withKai },
    refuses: [
      {
        given: { [entries]: [{ ...kai, schedulerName: 'default-scheduler' }] },
        says:
          `${reported}[0].schedulerName: Invalid value: "default-scheduler":` +
          ' this scheduler has no topologies; "kai-scheduler" has',
      },
    ],
  },
];

/** The levels differ in this field; the base object has `value` in its last. */
function unique(
  id: string,
  field: 'domain' | 'key',
  value: string,
  demands: string,
): Rule<BindingSubject> {
  return {
    id,
    field: `${levels}[n].${field}`,
    types: ['FieldValueDuplicate'],
    demands,
    check: ({ binding }) =>
      again(
        levels,
        field,
        list(at(binding, 'spec', 'levels')).map((level) => text(at(level, field))),
      ),
    accepts: {},
    refuses: [
      {
        given: { [`${levels}[0].${field}`]: value },
        says: `${levels}[1].${field}: Duplicate value: "${value}"`,
      },
    ],
  };
}

const schedulersOf = (binding: unknown): readonly string[] =>
  list(at(binding, 'spec', 'schedulerTopologyBindings')).map((entry) =>
    text(at(entry, 'schedulerName')),
  );

/** A Duplicate for each value that was there before. */
function again(path: string, field: string, values: readonly string[]): readonly FieldError[] {
  const seen = new Set<string>();
  return values.flatMap((value, index) =>
    unless(seen.size !== seen.add(value).size, () =>
      duplicate(`${path}[${index}].${field}`, value),
    ),
  );
}
