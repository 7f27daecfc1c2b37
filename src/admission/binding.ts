// Rules for ClusterTopologyBindings (spec api 3.8), on create and update alike. The reported paths
// say schedulerTopologyReferences, as Grove's do; the field is schedulerTopologyBindings.
import { topologyBackends } from '#machines/grove/topologybinding/backends.ts';
import { duplicate, invalid } from '#machines/kubernetes/field-errors.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { type FieldError, type Rule, unless } from './rule.ts';
import type { AdmissionSettings } from './situation.ts';
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
const accepted = { given: { [entries]: [kai] }, settings: withKai };

export const bindingRules: readonly Rule<BindingSubject>[] = [
  ...(
    [
      ['C1', 'domain', 'rack', 'name each domain once'],
      ['C2', 'key', 'topology.io/rack', 'name each node label key once'],
    ] as const
  ).map(([id, field, last, demands]) => ({
    id,
    field: `${levels}[n].${field}`,
    demands,
    check: ({ binding }: BindingSubject) => again(levels, field, textsOf(binding, 'levels', field)),
    accepts: {},
    refuses: {
      given: { [`${levels}[0].${field}`]: last },
      says: `${levels}[1].${field}: Duplicate value: "${last}"`,
    },
  })),
  {
    id: 'C3',
    field: `${reported}[n].schedulerName`,
    demands: 'name each scheduler once',
    check: ({ binding }) => again(reported, 'schedulerName', schedulersOf(binding)),
    accepts: accepted,
    refuses: {
      given: { [entries]: [kai, kai] },
      settings: withKai,
      says: `${reported}[1].schedulerName: Duplicate value: "kai-scheduler"`,
    },
  },
  {
    id: 'C4',
    field: `${reported}[n].schedulerName`,
    demands: 'name an enabled backend',
    check: ({ binding, settings: { schedulerNames } }) =>
      schedulersThat(
        binding,
        (name) => !schedulerNames.includes(name),
        `this scheduler is not enabled; enabled are ${quoted(schedulerNames)}`,
      ),
    accepts: accepted,
    refuses: {
      given: { [entries]: [kai] },
      says:
        `${reported}[0].schedulerName: Invalid value: "kai-scheduler":` +
        ' this scheduler is not enabled; enabled are "default-scheduler"',
    },
  },
  {
    id: 'C5',
    field: `${reported}[n].schedulerName`,
    demands: `name a backend that supports topologies: ${topologyBackends.join(', ')}`,
    check: ({ binding, settings: { schedulerNames } }) =>
      schedulersThat(
        binding,
        (name) =>
          schedulerNames.includes(name) && !topologyBackends.some((backend) => backend === name),
        `this scheduler has no topologies; ${quoted(topologyBackends)} has`,
      ),
    accepts: accepted,
    refuses: {
      given: { [entries]: [{ ...kai, schedulerName: 'default-scheduler' }] },
      says:
        `${reported}[0].schedulerName: Invalid value: "default-scheduler":` +
        ' this scheduler has no topologies; "kai-scheduler" has',
    },
  },
];

const textsOf = (binding: unknown, key: string, field: string): readonly string[] =>
  list(at(binding, 'spec', key)).map((entry) => text(at(entry, field)));

const schedulersOf = (binding: unknown): readonly string[] =>
  textsOf(binding, 'schedulerTopologyBindings', 'schedulerName');

const schedulersThat = (
  binding: unknown,
  isWrong: (name: string) => boolean,
  detail: string,
): readonly FieldError[] =>
  schedulersOf(binding).flatMap((name, index) =>
    unless(!isWrong(name), () => invalid(`${reported}[${index}].schedulerName`, name, detail)),
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
